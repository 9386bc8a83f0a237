import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { mostFound, type Finder } from '../story/finder';
import { words } from '../words';
import { isComposing } from './composing';

const text = words.find;

/** Above the story, while something is looked for in it. */
export function FindBar({ finder, close }: { finder: Finder; close: () => void }): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  const { length } = finder.found.value;

  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);

  const step = (by: 1 | -1): void => {
    if (length > 0) finder.step(by);
  };
  return (
    <div
      class="find"
      role="search"
      aria-label={text.name}
      onKeyDown={(event) => {
        if (isComposing(event)) return;
        if (event.key === 'Escape') close();
        else if (event.key === 'Enter' && event.target === field.current && !event.ctrlKey)
          step(event.shiftKey ? -1 : 1);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <input
        ref={field}
        type="search"
        aria-label={text.name}
        placeholder={text.name}
        autocomplete="off"
        value={finder.query.value}
        onInput={(event) => {
          finder.look(event.currentTarget.value);
        }}
      />
      <p class="hint" role="status">
        {finder.query.value.trim() !== '' && text.count((finder.current.value ?? -1) + 1, length, length === mostFound)}
      </p>
      <button
        type="button"
        class="small"
        aria-disabled={length === 0}
        onClick={() => {
          step(-1);
        }}
      >
        {text.previous}
      </button>
      <button
        type="button"
        class="small"
        aria-disabled={length === 0}
        onClick={() => {
          step(1);
        }}
      >
        {text.next}
      </button>
      <button type="button" class="small quiet" onClick={close}>
        {words.close}
      </button>
    </div>
  );
}
