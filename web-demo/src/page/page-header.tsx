import type { JSX } from 'preact';
import type { Signal } from '@preact/signals';
import { words as explorerWords } from '../explorer/words';
import { words } from '../words';
import type { WritingDesk } from '../writing/writing-desk';
import { QuillIcon } from './icons';
import { PanelSwitch } from './panel-switch';

export function PageHeader({ desk, libraryOpen }: { desk: WritingDesk; libraryOpen: Signal<boolean> }): JSX.Element {
  const status = desk.holder.keeper.value?.status.value;
  return (
    <header class="header">
      <h1 class="brand">
        <QuillIcon />
        {words.name}
      </h1>
      <PanelSwitch open={libraryOpen} panel="library" class="library-switch">
        {words.library.show}
      </PanelSwitch>
      <p class="tagline">{words.tagline}</p>
      <a class="to-explorer" href="explorer.html">
        {explorerWords.title}
      </a>
      <p class="keeping">{status && words.keeping[status === 'failed' ? 'failed' : 'kept']}</p>
    </header>
  );
}
