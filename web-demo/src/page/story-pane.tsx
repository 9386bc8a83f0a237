import type { JSX } from 'preact';
import { effect, type Signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { StoryEditor } from '../story/story-editor';
import { words } from '../words';
import type { WritingDesk } from '../writing/writing-desk';
import { AlternativesList } from './alternatives-list';
import { FindBar } from './find-bar';
import { FindIcon } from './icons';

/** Where the word is whose alternatives are shown, and whether the keyboard asked for them. */
export interface AlternativesPlace {
  readonly word: DOMRect;
  readonly byKeyboard: boolean;
}

interface Props {
  desk: WritingDesk;
  alternatives: Signal<AlternativesPlace | null>;
}

export function StoryPane({ desk, alternatives }: Props): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<StoryEditor | null>(null);
  const away = desk.machine.phase.value === 'opening' || desk.machine.phase.value === 'elsewhere';

  useLayoutEffect(() => {
    if (!place.current) return;
    const { manuscript } = desk.story;
    const stop = effect(() => {
      manuscript.readOnly.value = desk.machine.phase.value === 'opening' || desk.machine.phase.value === 'elsewhere';
    });
    const shown = new StoryEditor(place.current, manuscript, desk.finder, {
      label: words.story,
      placeholder: words.placeholder,
      onPress: (offset, word) => {
        alternatives.value = { word, byKeyboard: false };
        // Once the caret is there.
        setTimeout(() => void desk.otherWords.weigh(offset));
      },
      onOthers: (files) => void desk.importFiles(files),
    });
    editor.current = shown;
    return () => {
      stop();
      shown.destroy();
    };
  }, [desk, alternatives]);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'f' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey)
        return;
      // Pressed once more, it is the browser's own.
      if (desk.finder.open.value || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      desk.finder.begin();
    };
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('keydown', onKey);
    };
  }, [desk]);

  const closeFind = (): void => {
    desk.finder.close();
    editor.current?.focus();
  };

  const invites = desk.story.manuscript.text.value === '' && !away;
  return (
    <section
      class="story-pane"
      aria-label={words.story}
      onScroll={() => {
        desk.otherWords.shown.value = null;
      }}
    >
      {desk.finder.open.value && <FindBar finder={desk.finder} close={closeFind} />}
      <div class={invites ? 'sheet sheet-empty' : 'sheet'}>
        <div class="story-head">
          <input
            class="story-name"
            aria-label={words.library.title}
            placeholder={words.library.untitled}
            maxLength={200}
            autocomplete="off"
            value={desk.story.title.value}
            readOnly={away}
            onInput={(event) => {
              void desk.stories.rename(desk.story.id.value, event.currentTarget.value);
            }}
          />
          <button
            type="button"
            class="quiet find-switch"
            aria-label={words.find.name}
            title={`${words.find.name} (${words.shortcuts.find})`}
            aria-keyshortcuts="Control+F"
            onClick={() => {
              desk.finder.begin();
            }}
          >
            <FindIcon />
          </button>
        </div>
        <div ref={place} class="story-place" />
        {invites && (
          <button type="button" class="quiet" onClick={() => editor.current?.append(words.opening)}>
            {words.sampleOpening}
          </button>
        )}
      </div>
      <AlternativesList
        desk={desk}
        word={alternatives.value?.word ?? null}
        takesFocus={alternatives.value?.byKeyboard ?? false}
        close={() => editor.current?.focus()}
      />
    </section>
  );
}
