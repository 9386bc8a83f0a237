import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Updates } from '../offline/updates';
import { countTokens } from '../writing/passage';
import type { WritingDesk } from '../writing/writing-desk';
import { ActionBar } from './action-bar';
import { DialsPanel } from './dials-panel';
import { Notices } from './notices';
import { PageHeader } from './page-header';
import { StoryPane } from './story-pane';

export function Page({ desk, updates }: { desk: WritingDesk; updates: Updates }): JSX.Element {
  // Matters on narrow screens only, where the panel lies over the story.
  const panelOpen = useSignal(false);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        void desk.continue();
      } else if (event.key === 'Escape') {
        if (desk.canStop.value) desk.stop();
        else panelOpen.value = false;
      }
    };
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('keydown', onKey);
    };
  }, [desk, panelOpen]);

  return (
    <div
      class="page"
      data-phase={desk.phase.value}
      data-keeping={desk.keeper.value?.status.value ?? 'none'}
      data-written={desk.passage.value ? countTokens(desk.passage.value) : 0}
    >
      <PageHeader desk={desk} />
      <Notices desk={desk} updates={updates} />
      <main class="room">
        <StoryPane desk={desk} />
        <DialsPanel desk={desk} open={panelOpen} />
      </main>
      <ActionBar desk={desk} panelOpen={panelOpen} />
      <p class="unseen" role="status">
        {desk.announcement}
      </p>
    </div>
  );
}
