import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { words } from '../words';
import type { WritingDesk } from '../writing/writing-desk';

interface Props {
  desk: WritingDesk;
  /** Where the word is on the screen. */
  word: DOMRect | null;
  /** Whether the keyboard goes there: not after a press in the text, where the writer may want to type. */
  takesFocus: boolean;
  close: () => void;
}

/** Below a word of the machine's: the others that it weighed, and how likely they were. */
export function AlternativesList({ desk, word, takesFocus, close }: Props): JSX.Element | null {
  const box = useRef<HTMLDivElement>(null);
  const shown = desk.otherWords.shown.value;

  useLayoutEffect(() => {
    const { current } = box;
    if (!current || !word) return;
    const { width, height } = current.getBoundingClientRect();
    const below = word.bottom + 6;
    const top = below + height > innerHeight - 8 ? Math.max(8, word.top - 6 - height) : below;
    current.style.left = `${Math.max(8, Math.min(word.left, innerWidth - width - 8))}px`;
    current.style.top = `${top}px`;
  }, [shown, word]);

  useEffect(() => {
    if (shown && takesFocus) box.current?.querySelector('button')?.focus();
  }, [shown, takesFocus]);

  if (!shown || !word) return null;
  return (
    <div
      ref={box}
      class="alternatives"
      role="dialog"
      aria-label={words.alternatives.name(shown.word)}
      onKeyDown={(event) => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        const options = [...(box.current?.querySelectorAll('button') ?? [])];
        const at = options.indexOf(event.target as HTMLButtonElement);
        options[(at + step + options.length) % options.length]?.focus();
      }}
    >
      <p class="hint">{words.alternatives.name(shown.word)}</p>
      <ul>
        {shown.options.map((option) => (
          <li key={option.id}>
            <button
              type="button"
              class="quiet"
              aria-disabled={option.stands}
              onClick={() => {
                if (option.stands) return;
                close();
                void desk.otherWords.branch(shown, option.id);
              }}
            >
              <span class="alternative">{words.alternatives.token(option.text)}</span>
              <meter aria-hidden="true" min={0} max={1} value={option.probability} />
              <span class="chance">{words.alternatives.share(option.probability)}</span>
              {option.stands && <span class="unseen">{words.alternatives.stands}</span>}
            </button>
          </li>
        ))}
      </ul>
      <p class="hint">{words.alternatives.hint}</p>
    </div>
  );
}
