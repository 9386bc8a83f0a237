import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Updates } from '../offline/updates';
import type { WritingDesk } from '../writing/writing-desk';
import { ActionBar } from './action-bar';
import { isComposing } from './composing';
import { DialsPanel } from './dials-panel';
import { closePanel } from './keyboard-place';
import { LibraryPanel } from './library-panel';
import { Notices } from './notices';
import { PageHeader } from './page-header';
import { StoryPane, type AlternativesPlace } from './story-pane';
import { TakesSheet } from './takes-sheet';

export function Page({ desk, updates }: { desk: WritingDesk; updates: Updates }): JSX.Element {
  // Matters on narrow screens only, where the panel lies over the story.
  const panelOpen = useSignal(false);
  const libraryOpen = useSignal(false);
  const takesOpen = useSignal(false);
  const alternatives = useSignal<AlternativesPlace | null>(null);
  const closeTakes = (): void => {
    closePanel(takesOpen, 'takes');
  };

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isComposing(event) || document.querySelector('dialog[open]')) return;
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        void desk.passages.continue();
      } else if (event.key === 'Escape') {
        if (desk.otherWords.shown.value) desk.otherWords.shown.value = null;
        else if (desk.machine.canStop.value) desk.machine.stop();
        else if (desk.finder.open.value) desk.finder.close();
        else {
          closePanel(panelOpen, 'dials');
          closePanel(libraryOpen, 'library');
          closePanel(takesOpen, 'takes');
        }
      }
    };
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('keydown', onKey);
    };
  }, [desk, panelOpen, libraryOpen, takesOpen]);

  return (
    <div
      class="page"
      data-phase={desk.machine.phase.value}
      data-keeping={desk.holder.keeper.value?.status.value ?? 'none'}
      data-written={desk.passages.written.value}
    >
      <PageHeader desk={desk} libraryOpen={libraryOpen} />
      <Notices desk={desk} updates={updates} />
      <main class={libraryOpen.value ? 'room room-with-library' : 'room'}>
        <LibraryPanel desk={desk} open={libraryOpen} />
        <div class="writing">
          <StoryPane desk={desk} alternatives={alternatives} />
          {takesOpen.value && <TakesSheet desk={desk} close={closeTakes} />}
        </div>
        <DialsPanel desk={desk} open={panelOpen} />
      </main>
      <ActionBar desk={desk} panelOpen={panelOpen} takesOpen={takesOpen} alternatives={alternatives} />
      <p class="unseen" role="status">
        {desk.machine.announcement}
      </p>
    </div>
  );
}
