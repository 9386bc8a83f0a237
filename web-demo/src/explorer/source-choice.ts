import { computed, type ReadonlySignal } from '@preact/signals';
import { bundledId, type ModelShelf } from '../models/model-shelf';
import { words as modelWords } from '../models/words';
import type { Explorer } from './explorer';
import { words } from './words';

const pastedId = 'pasted';

/** Where the explorer's rows come from: a model of the shelf, or what is pasted. */
export class SourceChoice {
  readonly #explorer: Explorer;
  readonly #shelf: ModelShelf;
  readonly choices: ReadonlySignal<readonly { readonly id: string; readonly name: string }[]>;
  readonly chosen: ReadonlySignal<string>;

  constructor(explorer: Explorer, shelf: ModelShelf) {
    this.#explorer = explorer;
    this.#shelf = shelf;
    this.choices = computed(() => [
      { id: bundledId, name: modelWords.bundled },
      ...shelf.imported.value,
      { id: pastedId, name: words.sources.pasted },
    ]);
    this.chosen = computed(() => (explorer.pasted.value ? pastedId : shelf.chosen.value));
  }

  choose(id: string): void {
    this.#explorer.pasted.value = id === pastedId;
    if (id !== pastedId && (id !== this.#shelf.chosen.value || !this.#shelf.loaded.value)) void this.#shelf.use(id);
  }
}
