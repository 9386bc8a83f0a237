import { signal } from '@preact/signals';
import type { Store, Story } from 'quillmate-sampler/store';

export type KeepStatus = 'saved' | 'saving' | 'failed';

/** What is kept, and who is told of it. */
export interface KeptDesk {
  snapshot(): Story;
  kept(): void;
  notKept(error: unknown): void;
}

/**
 * Saves as often as something changed and as fast as the store takes it: never two saves at once,
 * and a save that starts after several changes holds them all.
 */
export class StoryKeeper {
  readonly status = signal<KeepStatus>('saved');
  readonly #store: Store;
  readonly #desk: KeptDesk;
  #changed = false;
  #saving = false;

  constructor(store: Store, desk: KeptDesk) {
    this.#store = store;
    this.#desk = desk;
  }

  keep(): void {
    this.#changed = true;
    if (!this.#saving) void this.#save();
  }

  close(): void {
    this.#store.close();
  }

  async #save(): Promise<void> {
    this.#saving = true;
    this.status.value = 'saving';
    try {
      while (this.#changed) {
        this.#changed = false;
        await this.#store.save(this.#desk.snapshot());
      }
      this.status.value = 'saved';
      this.#desk.kept();
    } catch (error) {
      this.status.value = 'failed';
      this.#desk.notKept(error);
    } finally {
      this.#saving = false;
    }
  }
}
