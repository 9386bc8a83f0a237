import type { Store } from './store.js';
import type { Story } from './story.js';

/** `saved`: all that was told is stored. `failed`: the last save was refused; the next change tries again. */
export type AutosaveStatus = 'saved' | 'saving' | 'failed';

/** What is saved, and who is told. */
export interface AutosaveOptions<Data> {
  /** The story as it is now: asked for once a save, however often it changed meanwhile. */
  readonly snapshot: () => Story<Data>;
  /** Told of every change of the status; the error is a SamplerError, STORE_FAILED or STORE_CONFLICT. */
  readonly onStatus?: ((status: AutosaveStatus, error?: unknown) => void) | undefined;
  /**
   * The revision that the story was loaded with, 0 for a new one. Then a save over what another tab has saved meanwhile is
   * refused with STORE_CONFLICT.
   */
  readonly revision?: number | undefined;
}

/**
 * Saves a story that changes all the time: as fast as the store takes it, never twice at once, and always its newest
 * state, so that telling it of every token costs the writing nothing. Made by `store.autosave(...)`.
 */
export class Autosave<Data = unknown> {
  readonly #store: Store<Data>;
  readonly #options: AutosaveOptions<Data>;
  #revision: number | undefined;
  #changed = false;
  #strict = false;
  #saving: Promise<void> | undefined;

  /** @internal */
  constructor(store: Store<Data>, options: AutosaveOptions<Data>) {
    this.#store = store;
    this.#options = options;
    this.#revision = options.revision;
  }

  /** The story has changed. Returns at once. */
  changed(): void {
    this.#changed = true;
    this.#start().catch(() => undefined); // onStatus has it
  }

  /**
   * Saves once more, to the disk and not only to the system's memory, as is right at a pause and before a page goes.
   * Rejects when the save is refused.
   */
  async flush(): Promise<void> {
    this.#changed = true;
    this.#strict = true;
    await this.#start();
  }

  #start(): Promise<void> {
    this.#saving ??= Promise.resolve().then(() => this.#save());
    return this.#saving;
  }

  async #save(): Promise<void> {
    this.#options.onStatus?.('saving');
    try {
      while (this.#changed) {
        const durability = this.#strict ? 'strict' : 'relaxed';
        this.#changed = false;
        this.#strict = false;
        const { revision } = await this.#store.save(this.#options.snapshot(), { durability, revision: this.#revision });
        if (this.#revision !== undefined) this.#revision = revision;
      }
    } catch (error) {
      this.#saving = undefined;
      this.#options.onStatus?.('failed', error);
      throw error;
    }
    // From here on a change, of which onStatus may be the cause, begins anew.
    this.#saving = undefined;
    this.#options.onStatus?.('saved');
  }
}
