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
  readonly #autosave: Autosave;
  #changed = false;

  /** @param revision that of the story that is open, 0 for one that was never saved: what others save meanwhile stays */
  constructor(store: Store, revision: number, desk: KeptDesk) {
    this.#autosave = store.autosave({
      snapshot: () => desk.snapshot(),
      revision,
      onStatus: (status, error) => {
        this.status.value = status;
        if (status === 'saved') {
          this.#changed = false;
          desk.kept();
        }
        if (status === 'failed') desk.notKept(error);
      },
    });
  }

  keep(): void {
    this.#changed = true;
    this.#autosave.changed();
  }

  /** Down to the disk: for moments at which nobody waits for it. */
  keepForGood(): void {
    this.#autosave.flush().catch(() => undefined); // the desk has been told
  }

  /** Saves what is not saved yet. False where that cannot be done. */
  async settle(): Promise<boolean> {
    if (!this.#changed) return true;
    return this.#autosave.flush().then(
      () => true,
      () => false,
    );
  }
}
