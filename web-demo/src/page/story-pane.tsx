import type { JSX } from 'preact';
import { effect } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { StoryEditor } from '../story/story-editor';
import { words } from '../words';
import type { WritingDesk } from '../writing/writing-desk';

export function StoryPane({ desk }: { desk: WritingDesk }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<StoryEditor | null>(null);

  useLayoutEffect(() => {
    if (!place.current) return;
    const shown = new StoryEditor(place.current, {
      label: words.story,
      placeholder: words.placeholder,
      onEdit: (text) => {
        desk.edit(text);
      },
    });
    editor.current = shown;
    // At once, and so before the rest of the page: when it says that a run is over, the last word stands there.
    const stop = effect(() => {
      shown.show({
        text: desk.text.value,
        passageStart: desk.passage.value?.start ?? null,
        runStartedAt: desk.run.value?.startedAt ?? null,
        readOnly: desk.phase.value === 'opening' || desk.phase.value === 'elsewhere',
      });
    });
    return () => {
      stop();
      shown.destroy();
    };
  }, [desk]);

  const invites = desk.text.value === '' && desk.phase.value !== 'opening' && desk.phase.value !== 'elsewhere';
  return (
    <section class="story-pane" aria-label={words.story}>
      <div class={invites ? 'sheet sheet-empty' : 'sheet'}>
        <div ref={place} class="story-place" />
        {invites && (
          <button type="button" class="quiet" onClick={() => editor.current?.append(words.opening)}>
            {words.sampleOpening}
          </button>
        )}
      </div>
    </section>
  );
}
