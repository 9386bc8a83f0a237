import { openDB, type DBSchema, type IDBPDatabase, type IDBPTransaction } from 'idb';
import { SamplerError } from '../errors.js';
import { summaryOf, type StoredStory, type StoryRecord } from './story.js';

interface Schema extends DBSchema {
  stories: { key: string; value: StoryRecord };
  /** All of each story but its content, so that a list of them reads no texts. Written with the stories. */
  summaries: { key: string; value: StoryRecord };
  /** Under the ids of the stories; apart from them, so that saving a token does not write megabytes. */
  snapshots: { key: string; value: unknown };
}

type StoreName = 'stories' | 'summaries' | 'snapshots';

type Upgrade = (
  database: IDBPDatabase<Schema>,
  transaction: IDBPTransaction<Schema, StoreName[], 'versionchange'>,
) => void | Promise<void>;

/** Each leads from one version of the database to the next. Append; what was once published stays as it is. */
const upgrades: readonly Upgrade[] = [
  (database) => {
    database.createObjectStore('stories', { keyPath: 'id' });
  },
  (database) => {
    database.createObjectStore('snapshots');
  },
  async (database, transaction) => {
    const summaries = database.createObjectStore('summaries', { keyPath: 'id' });
    // One after the other: together they may be more than the memory holds.
    for (let cursor = await transaction.objectStore('stories').openCursor(); cursor; cursor = await cursor.continue()) {
      await summaries.put(summaryOf(cursor.value as StoredStory));
    }
  },
];

async function upgradeFrom(version: number, ...database: Parameters<Upgrade>): Promise<void> {
  for (const upgrade of upgrades.slice(version)) await upgrade(...database);
}

/**
 * The connection to the database of stories. Whatever goes wrong, it says so with STORE_FAILED: also when the browser
 * gives no answer at all, or has taken the database away.
 */
export class StoryDatabase {
  readonly #patience: number;
  #database: IDBPDatabase<Schema> | undefined;
  /** Why there is no database. */
  #closed = '';

  private constructor(patience: number) {
    this.#patience = patience;
  }

  /** @param patience how many milliseconds to wait for the browser */
  static async open(name: string, patience: number): Promise<StoryDatabase> {
    const what = 'open its database';
    const result = new StoryDatabase(patience);
    let obstacle = '';
    try {
      if (!('indexedDB' in globalThis)) throw new Error('there is no IndexedDB here; use a browser');
      const opening = openDB<Schema>(name, upgrades.length, {
        upgrade: (database, oldVersion, _newVersion, transaction) => {
          upgradeFrom(oldVersion, database, transaction).catch((thrown: unknown) => {
            obstacle = `it cannot be brought to this version: ${reasonOf(thrown)}`;
            transaction.done.catch(() => undefined); // the opening fails, and says so
            abort(transaction);
          });
        },
        blocked: () => {
          obstacle = 'another tab keeps an older version open; close that tab';
        },
        // Whoever wants to delete or upgrade the database must not wait for this page.
        blocking: () => {
          result.close('another tab deleted or upgraded it; reload the page');
        },
        terminated: () => {
          result.close('the browser closed or deleted it; reload the page');
        },
      });
      try {
        result.#database = await within(patience, opening);
      } catch (thrown) {
        // One that is opened after all has nobody to close it.
        opening.then(
          (database) => {
            database.close();
          },
          () => undefined,
        );
        throw obstacle === '' ? thrown : new Error(obstacle, { cause: thrown });
      }
      return result;
    } catch (thrown) {
      throw failed(what, thrown);
    }
  }

  /**
   * Does the work in one transaction, all of it or nothing, and resolves when it is done, not when it is asked for.
   * @param what completes "the story store could not"
   */
  async transact<Name extends StoreName, Mode extends 'readonly' | 'readwrite', Result>(
    what: string,
    names: Name[],
    mode: Mode,
    durability: 'strict' | 'relaxed',
    work: (transaction: IDBPTransaction<Schema, Name[], Mode>) => Promise<Result>,
  ): Promise<Result> {
    try {
      if (this.#database === undefined) throw new Error(this.#closed);
      const transaction = this.#database.transaction<Name[], Mode>(names, mode, { durability });
      try {
        const [result] = await within(this.#patience, Promise.all([work(transaction), transaction.done]));
        return result;
      } catch (thrown) {
        // The transaction knows the reason; its requests only know that it was aborted.
        const reason: unknown = transaction.error ?? thrown;
        abort(transaction);
        throw reason;
      }
    } catch (thrown) {
      throw failed(what, thrown);
    }
  }

  /** Whether the browser keeps the data when room is short; it may ask the user, who may never answer. */
  async persist(): Promise<boolean> {
    const { storage } = navigator as { storage?: StorageManager };
    if (storage === undefined || !('persist' in storage)) return false;
    return within(this.#patience, storage.persist()).catch(() => false);
  }

  close(why = 'it was closed; open it again'): void {
    this.#database?.close();
    this.#database = undefined;
    this.#closed = why;
  }
}

/** Some browsers now and then never answer, neither with success nor with an error. */
async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`the browser gave no answer for ${milliseconds} ms; reload the page`));
    }, milliseconds);
  });
  try {
    return await Promise.race([promise, silence]);
  } finally {
    clearTimeout(timer);
  }
}

function abort(transaction: { abort(): void }): void {
  try {
    transaction.abort();
  } catch {
    // It has ended already.
  }
}

function failed(what: string, thrown: unknown): SamplerError {
  if (thrown instanceof SamplerError) return thrown;
  return new SamplerError('STORE_FAILED', { detail: `${what} (${reasonOf(thrown)})`, cause: thrown });
}

function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  switch (thrown.name) {
    case 'QuotaExceededError':
      return 'the room that the browser grants is full; delete what is no longer needed, here or of other sites';
    case 'VersionError':
      return 'a newer version of this page made it; reload the page';
    case 'AbortError':
      return 'the browser gave it up; try again';
    default:
      return thrown.message;
  }
}
