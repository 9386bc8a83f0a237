import { computed, signal } from '@preact/signals';
import { searchable } from '../library/find-text';
import type { Manuscript } from './manuscript';
import type { Place } from './story-document';

/** More are not counted, nor marked. */
export const mostFound = 1000;

/** Finds words in the story on the page: as the library does, whatever their capitals and quotes. */
export class Finder {
  readonly open = signal(false);
  readonly query = signal('');
  readonly #manuscript: Manuscript;
  /** The offset in the text from which the next one is looked for. */
  readonly #from = signal(0);

  readonly #searchable = computed(() => searchable(this.#manuscript.text.value));

  readonly found = computed((): readonly Place[] => {
    const query = searchable(this.query.value);
    if (!this.open.value || query.trim() === '') return [];
    const text = this.#searchable.value;
    const found: Place[] = [];
    for (let from = text.indexOf(query); from >= 0 && found.length < mostFound;) {
      const to = from + query.length;
      found.push({ from, to });
      from = text.indexOf(query, to);
    }
    return found;
  });

  /** Which of those found is shown, counted from 0; null where there is none. */
  readonly current = computed(() => {
    const { length } = this.found.value;
    if (length === 0) return null;
    const next = this.found.value.findIndex(({ from }) => from >= this.#from.value);
    return next < 0 ? 0 : next;
  });

  constructor(manuscript: Manuscript) {
    this.#manuscript = manuscript;
  }

  /** Begins at the caret. */
  begin(): void {
    this.#from.value = this.#manuscript.selected.value.from;
    this.open.value = true;
  }

  look(query: string): void {
    this.query.value = query;
    this.#show();
  }

  /** @param by 1 for the next one, -1 for the one before; beyond the last comes the first */
  step(by: 1 | -1): void {
    const { length } = this.found.value;
    const next = this.found.value[((this.current.value ?? 0) + by + length) % length];
    if (!next) return;
    this.#from.value = next.from;
    this.#show();
  }

  close(): void {
    this.open.value = false;
  }

  /** What is found is selected, too: so it is ready to be typed over. */
  #show(): void {
    const place = this.found.value[this.current.value ?? -1];
    if (place) this.#manuscript.select(place);
  }
}
