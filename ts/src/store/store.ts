import { readStory, type Story, type StoredStory, type StorySummary } from './story.js';
import { StoryDatabase } from './story-database.js';

export interface StoreOptions {
  /** Of the database; stores of one name share their stories. Default `quillmate`. */
  readonly name?: string | undefined;
  /** Milliseconds after which a browser that gives no answer is given up. Default 10,000. */
  readonly patience?: number | undefined;
}

/**
 * Opens the stories of this origin.
 * @throws SamplerError STORE_FAILED
 */
export async function openStore<Data = unknown>(options: StoreOptions = {}): Promise<Store<Data>> {
  const { name = 'quillmate', patience = 10_000 } = options;
  return new Store(await StoryDatabase.open(name, patience));
}

/**
 * Stories in IndexedDB, each with its text and the state of its generator. Made by {@link openStore}.
 *
 * Everything rejects with a SamplerError: STORE_FAILED, whose message names the remedy and after which the record is as
 * it was; STORE_RECORD_UNKNOWN for a record that a newer version wrote, which is left alone.
 */
export class Store<Data = unknown> {
  readonly #database: StoryDatabase;

  /** @internal */
  constructor(database: StoryDatabase) {
    this.#database = database;
  }

  /** Text, state and data replace what was stored under the id, all together. */
  async save({ id, text, state, data }: Story<Data>): Promise<StorySummary<Data>> {
    return this.#database.transact(`save ${JSON.stringify(id)}`, 'readwrite', async (stories) => {
      // Copied now: the caller may go on while the transaction waits.
      const copy = structuredClone({ id, text, state, data });
      const old = await stories.get(id);
      const { revision, createdAt } = old === undefined ? { revision: 0, createdAt: Date.now() } : readStory<Data>(old);
      const story: StoredStory<Data> = {
        ...copy,
        version: 1,
        revision: revision + 1,
        createdAt,
        updatedAt: Date.now(),
      };
      await stories.put(story);
      return summaryOf(story);
    });
  }

  /** Undefined where there is none. */
  async load(id: string): Promise<StoredStory<Data> | undefined> {
    const record = await this.#database.transact(`load ${JSON.stringify(id)}`, 'readonly', (stories) =>
      stories.get(id),
    );
    return record && readStory(record);
  }

  /** The most recently saved first. */
  async list(): Promise<StorySummary<Data>[]> {
    const records = await this.#database.transact('list its stories', 'readonly', (stories) => stories.getAll());
    return records
      .map((record) => summaryOf(readStory<Data>(record)))
      .sort((a, b) => b.updatedAt - a.updatedAt || b.revision - a.revision);
  }

  /** Also where there is none. */
  async delete(id: string): Promise<void> {
    await this.#database.transact(`delete ${JSON.stringify(id)}`, 'readwrite', (stories) => stories.delete(id));
  }

  /** Ends the connection; what is stored stays. */
  close(): void {
    this.#database.close();
  }
}

function summaryOf<Data>(story: StoredStory<Data>): StorySummary<Data> {
  const { id, data, version, revision, createdAt, updatedAt } = story;
  return { id, data, version, revision, createdAt, updatedAt };
}
