import type { JSX } from 'preact';
import { useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { StoryEditor } from '../story/story-editor';
import { words } from '../words';
import type { WritingDesk } from '../writing/writing-desk';

export function StoryPane({ desk }: { desk: WritingDesk }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<StoryEditor | null>(null);

  useEffect(() => {
    if (!place.current) return;
    editor.current = new StoryEditor(place.current, {
      label: words.story,
      placeholder: words.placeholder,
      onEdit: (text) => {
        desk.edit(text);
      },
    });
    return () => editor.current?.destroy();
  }, [desk]);

  useSignalEffect(() => {
    const shown = {
      text: desk.text.value,
      passageStart: desk.passage.value?.start ?? null,
      runStartedAt: desk.run.value?.startedAt ?? null,
      readOnly: desk.phase.value === 'opening' || desk.phase.value === 'elsewhere',
    };
    editor.current?.show(shown);
  });

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
