import { signal } from '@preact/signals';
import type { Autosave, AutosaveStatus, Store, Story } from 'quillmate-sampler/store';

/** What is kept, and who is told of it. */
export interface KeptDesk {
  snapshot(): Story;
  kept(): void;
  notKept(error: unknown): void;
}

/** Keeps the story in the store while it changes. */
export class StoryKeeper {
  readonly status = signal<AutosaveStatus>('saved');
  readonly #store: Store;
  readonly #autosave: Autosave;

  constructor(store: Store, desk: KeptDesk) {
    this.#store = store;
    this.#autosave = store.autosave({
      snapshot: () => desk.snapshot(),
      onStatus: (status, error) => {
        this.status.value = status;
        if (status === 'saved') desk.kept();
        if (status === 'failed') desk.notKept(error);
      },
    });
  }

  keep(): void {
    this.#autosave.changed();
  }

  /** Down to the disk: for moments at which nobody waits for it. */
  keepForGood(): void {
    this.#autosave.flush().catch(() => undefined); // the desk has been told
  }

  close(): void {
    this.#store.close();
  }
}
