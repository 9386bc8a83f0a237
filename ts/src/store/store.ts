import { describe, SamplerError } from '../errors.js';
import { Autosave, type AutosaveOptions } from './autosave.js';
import { fromText, toText } from './library.js';
import {
  faultOf,
  readStory,
  readSummary,
  summaryOf,
  type Story,
  type StoredStory,
  type StorySummary,
} from './story.js';
import { StoryDatabase } from './story-database.js';
import { holdStory } from './story-lock.js';

/** Which store, and how long it is waited for. */
export interface StoreOptions {
  /** Of the database; stores of one name share their stories. Default `quillmate`. */
  readonly name?: string | undefined;
  /** Milliseconds after which a browser that gives no answer is given up. Default 10,000. */
  readonly patience?: number | undefined;
}

/** How a story is saved. */
export interface SaveOptions {
  /**
   * The revision that the stored story must have, 0 for none: that of the last load or save. Then what somebody else has
   * saved since is not overwritten; the save is refused with STORE_CONFLICT. Left out, nothing is checked.
   */
  readonly revision?: number | undefined;
  /** `strict` waits for the disk, which a crash of the whole machine does not undo. Default `relaxed`. */
  readonly durability?: 'strict' | 'relaxed' | undefined;
}

/**
 * Opens the stories of this origin.
 * @throws SamplerError STORE_FAILED
 */
export async function openStore<Data = unknown>(options: StoreOptions = {}): Promise<Store<Data>> {
  const { name = 'quillmate', patience = 10_000 } = options;
  return new Store(name, await StoryDatabase.open(name, patience));
}

/**
 * Stories in IndexedDB, each with its text and the state of its generator. Made by {@link openStore}.
 *
 * Everything rejects with a SamplerError: STORE_FAILED, whose message names the remedy and after which the record is as
 * it was; STORE_RECORD_UNKNOWN for a record that a newer version wrote, which is left alone.
 */
export class Store<Data = unknown> {
  readonly #name: string;
  readonly #database: StoryDatabase;

  /** @internal */
  constructor(name: string, database: StoryDatabase) {
    this.#name = name;
    this.#database = database;
  }

  /** Text, state, data and body replace what was stored under the id, all together. Also rejects with STORE_CONFLICT. */
  async save({ id, text, state, data, body }: Story<Data>, options: SaveOptions = {}): Promise<StorySummary<Data>> {
    const { revision: expected, durability = 'relaxed' } = options;
    const what = `save ${JSON.stringify(id)}`;
    return this.#database.transact(what, ['stories', 'summaries'], 'readwrite', durability, async (transaction) => {
      // What no export could give back.
      const fault = typeof id === 'string' ? faultOf({ text, state }) : `id is ${describe(id)}`;
      if (fault !== undefined) throw new Error(`its ${fault}`);
      const stories = transaction.objectStore('stories');
      // Copied now: the caller may go on while the transaction waits.
      const copy = structuredClone({ id, text, state, data, ...(body !== undefined && { body }) });
      const old = await stories.get(id);
      const { revision, createdAt } = old === undefined ? { revision: 0, createdAt: Date.now() } : readStory<Data>(old);
      if (expected !== undefined && expected !== revision) {
        throw new SamplerError('STORE_CONFLICT', { detail: describe(id), value: String(revision) });
      }
      const story: StoredStory<Data> = {
        ...copy,
        version: 1,
        revision: revision + 1,
        createdAt,
        updatedAt: Date.now(),
      };
      const summary = summaryOf(story);
      await stories.put(story);
      await transaction.objectStore('summaries').put(summary);
      return summary;
    });
  }

  /** Undefined where there is none. */
  async load(id: string): Promise<StoredStory<Data> | undefined> {
    const what = `load ${JSON.stringify(id)}`;
    const record = await this.#database.transact(what, ['stories'], 'readonly', 'relaxed', (transaction) =>
      transaction.objectStore('stories').get(id),
    );
    return record && readStory(record);
  }

  /** Saves one story again and again while it changes. */
  autosave(options: AutosaveOptions<Data>): Autosave<Data> {
    return new Autosave(this, options);
  }

  /**
   * Waits until nobody else on this origin holds the story, in this tab or another, then holds it for the caller: until
   * the returned function is called, or the tab goes away. Where the browser has no Web Locks nobody waits, and the
   * revision that {@link save} checks keeps two tabs from advancing one story.
   *
   * @param signal gives the waiting up; rejects with its reason
   */
  hold(id: string, { signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<() => void> {
    return holdStory(this.#name, id, signal);
  }

  /** The most recently saved first. No text is read for it: hundreds of novels are listed in milliseconds. */
  async list(): Promise<StorySummary<Data>[]> {
    const records = await this.#database.transact(
      'list its stories',
      ['summaries'],
      'readonly',
      'relaxed',
      (transaction) => transaction.objectStore('summaries').getAll(),
    );
    return records
      .map((record) => readSummary<Data>(record))
      .sort((a, b) => b.updatedAt - a.updatedAt || b.revision - a.revision);
  }

  /** Also where there is none. */
  async delete(id: string): Promise<void> {
    const what = `delete ${JSON.stringify(id)}`;
    const names = ['stories', 'summaries', 'snapshots'] as const;
    await this.#database.transact(what, [...names], 'readwrite', 'relaxed', (transaction) =>
      Promise.all(names.map((name) => transaction.objectStore(name).delete(id))),
    );
  }

  /**
   * Keeps a model's snapshot of a story, which replaces an earlier one; undefined removes it. It is no part of the story, no
   * revision and no export: whoever has none, or an old one, goes on with the same text, only later.
   *
   * @param snapshot what `model.snapshot(state)` of `quillmate-sampler/onnxruntime` gave, or anything that can be cloned
   */
  async saveSnapshot(id: string, snapshot: unknown): Promise<void> {
    const what = `save the snapshot of ${JSON.stringify(id)}`;
    await this.#database.transact(what, ['snapshots'], 'readwrite', 'relaxed', async (transaction) => {
      const snapshots = transaction.objectStore('snapshots');
      await (snapshot === undefined ? snapshots.delete(id) : snapshots.put(snapshot, id));
    });
  }

  /** As it was saved, for `model.restore(snapshot)`, which tells whether it is still good. Undefined where there is none. */
  async loadSnapshot(id: string): Promise<unknown> {
    const what = `load the snapshot of ${JSON.stringify(id)}`;
    return this.#database.transact(what, ['snapshots'], 'readonly', 'relaxed', (transaction) =>
      transaction.objectStore('snapshots').get(id),
    );
  }

  /** All stories as the text of one JSON file; of `data` and `body`, what JSON can hold. */
  async exportAll(): Promise<string> {
    return toText(await this.#all('export its stories'));
  }

  /**
   * Stores the stories of such a file as they were, all or none. A story whose id is taken already is stored beside it,
   * with ` (2)` or the next free number after its id; one that is the same is there already.
   *
   * @returns the ids under which they are stored, in the order of the file
   *
   * Also rejects with INVALID_EXPORT.
   */
  async importAll(text: string): Promise<string[]> {
    const imported = fromText(text) as StoredStory<Data>[];
    return this.#database.transact(
      'import stories',
      ['stories', 'summaries'],
      'readwrite',
      'strict',
      async (transaction) => {
        const stories = transaction.objectStore('stories');
        const ids: string[] = [];
        for (const story of imported) {
          const content = toText([story]);
          for (let number = 1; ; number++) {
            const id = number === 1 ? story.id : `${story.id} (${number})`;
            const there = await stories.get(id);
            if (there === undefined) {
              await stories.put({ ...story, id });
              await transaction.objectStore('summaries').put(summaryOf({ ...story, id }));
            } else if (toText([{ ...readStory<Data>(there), id: story.id }]) !== content) continue;
            ids.push(id);
            break;
          }
        }
        return ids;
      },
    );
  }

  /**
   * Asks the browser to keep this origin's stories when room is short. False where it does not, or does not answer: then
   * an export now and then is wise.
   */
  async persist(): Promise<boolean> {
    return this.#database.persist();
  }

  async #all(what: string): Promise<StoredStory<Data>[]> {
    const records = await this.#database.transact(what, ['stories'], 'readonly', 'relaxed', (transaction) =>
      transaction.objectStore('stories').getAll(),
    );
    return records.map((record) => readStory<Data>(record));
  }

  /** Ends the connection; what is stored stays. */
  close(): void {
    this.#database.close();
  }
}
