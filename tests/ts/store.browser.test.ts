import { deleteDB, openDB } from 'idb';
import { type GeneratorState, openStore, SamplerError, type Store, type Story } from 'quillmate-sampler/store';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const state: GeneratorState = {
  format: 'quillmate-generator',
  version: 1,
  rng: 'philox4x32-10',
  seed: '18446744073709551615',
  step: 2,
  promptLength: 1,
  tokens: [0, 17, 4095],
  vocabSize: 4096,
  settings: { temperature: 0.8, topK: 0, topP: 0.95 },
  model: { name: 'llama' },
};

const story = { id: 'tale', text: 'Once upon a time', state, data: { title: 'A tale' } };

async function rejection(promise: Promise<unknown>): Promise<SamplerError> {
  const error: unknown = await promise.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SamplerError);
  return error as SamplerError;
}

describe('the store', () => {
  const name = 'quillmate-test';
  let store: Store<{ title: string }>;

  beforeEach(async () => {
    await deleteDB(name);
    store = await openStore({ name });
  });

  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
    store.close();
  });

  /** Puts a record there past the store. */
  async function plant(record: unknown): Promise<void> {
    const database = await openDB(name);
    await database.put('stories', record);
    database.close();
  }

  it('gives back what it was given, and when it came', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1000 });
    expect(await store.save(story)).toEqual({
      id: 'tale',
      data: { title: 'A tale' },
      version: 1,
      revision: 1,
      createdAt: 1000,
      updatedAt: 1000,
    });
    expect(await store.load('tale')).toEqual({ ...story, version: 1, revision: 1, createdAt: 1000, updatedAt: 1000 });
  });

  it('keeps a story that has no generator and no data yet', async () => {
    await store.save({ id: 'new', text: '', state: null });
    expect(await store.load('new')).toMatchObject({ id: 'new', text: '', state: null, revision: 1 });
  });

  it('replaces text, state and data together and counts the revisions', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1000 });
    await store.save(story);
    vi.setSystemTime(2000);
    const next = { ...story, text: 'Once upon a time there', state: { ...state, step: 3, tokens: [0, 17, 4095, 5] } };
    await store.save(next);
    expect(await store.load('tale')).toEqual({ ...next, version: 1, revision: 2, createdAt: 1000, updatedAt: 2000 });
  });

  it('has no story that was never saved', async () => {
    expect(await store.load('nothing')).toBeUndefined();
    expect(await store.list()).toEqual([]);
  });

  it('lists its stories without their content, the last saved first', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1000 });
    for (const id of ['a', 'b', 'c']) {
      await store.save({ ...story, id });
      vi.advanceTimersByTime(1);
    }
    await store.save({ ...story, id: 'a' });
    const stories = await store.list();
    expect(stories.map(({ id }) => id)).toEqual(['a', 'c', 'b']);
    expect(stories[0]).toEqual({
      id: 'a',
      data: story.data,
      version: 1,
      revision: 2,
      createdAt: 1000,
      updatedAt: 1003,
    });
  });

  it('deletes a story, and does not mind when there is none', async () => {
    await store.save(story);
    await store.delete('tale');
    await store.delete('tale');
    expect(await store.load('tale')).toBeUndefined();
  });

  it('takes the story as it is at the call', async () => {
    const tokens = [0, 1];
    const saving = store.save({ ...story, state: { ...state, tokens } });
    tokens.push(2);
    await saving;
    expect((await store.load('tale'))?.state?.tokens).toEqual([0, 1]);
  });

  it('shares its stories with every store of its name', async () => {
    const other = await openStore({ name });
    await Promise.all([store.save(story), other.save(story)]);
    expect(await other.load('tale')).toMatchObject({ revision: 2 });
    expect(await store.load('tale')).toMatchObject({ revision: 2 });
    other.close();
    const elsewhere = await openStore({ name: 'quillmate-test-elsewhere' });
    expect(await elsewhere.load('tale')).toBeUndefined();
    elsewhere.close();
  });

  it('keeps the old record when a write is aborted half-way', async () => {
    await store.save(story);
    vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore, value: unknown) {
      const request = this.add({ ...(value as Story), id: 'half' });
      this.transaction.abort();
      return request;
    });
    const error = await rejection(store.save({ ...story, text: 'lost' }));
    expect(error.code).toBe('STORE_FAILED');
    expect(error.message).toMatch('could not save "tale"');
    vi.restoreAllMocks();
    expect(await store.load('tale')).toMatchObject({ text: story.text, revision: 1 });
    expect(await store.load('half')).toBeUndefined();
  });

  it('says that the room is full', async () => {
    vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
      throw new DOMException('no room', 'QuotaExceededError');
    });
    expect((await rejection(store.save(story))).message).toMatch(/could not save "tale" \(.*is full; delete what/);
  });

  it('refuses what cannot be stored, before anything is changed', async () => {
    await store.save(story);
    const wild = await openStore({ name });
    const unstorable: Story = { ...story, text: 'lost', data: () => 'a function' };
    expect(await rejection(wild.save(unstorable))).toMatchObject({ code: 'STORE_FAILED' });
    wild.close();
    expect(await store.load('tale')).toMatchObject({ text: story.text });
  });

  it('gives up a browser that never answers', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    // A transaction that always has one more thing to do never ends.
    vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore) {
      const again = (): void => {
        this.get('tale').onsuccess = again;
      };
      again();
      return this.get('tale') as IDBRequest<IDBValidKey>;
    });
    const saving = rejection(store.save(story));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await saving).toMatchObject({ code: 'STORE_FAILED' });
    expect((await saving).message).toMatch('gave no answer for 10000 ms');
    vi.restoreAllMocks();
    vi.useRealTimers();
    expect(await store.load('tale')).toBeUndefined();
  });

  it('does not misread a record of another version, nor overwrite it', async () => {
    for (const version of [2, 0, undefined, '1']) {
      const record = { id: 'tale', version, prose: 'in another shape' };
      await plant(record);
      for (const attempt of [store.load('tale'), store.save(story), store.list()]) {
        const error = await rejection(attempt);
        expect(error.code).toBe('STORE_RECORD_UNKNOWN');
        expect(error.message).toMatch(`"tale" has version ${JSON.stringify(version)}`);
      }
      const database = await openDB(name);
      expect(await database.get('stories', 'tale')).toEqual(record);
      database.close();
    }
  });

  it('stands aside when the database is deleted, and says so from then on', async () => {
    await store.save(story);
    await deleteDB(name);
    for (const attempt of [store.save(story), store.load('tale'), store.list(), store.delete('tale')]) {
      const error = await rejection(attempt);
      expect(error.code).toBe('STORE_FAILED');
      expect(error.message).toMatch('another tab deleted or upgraded it; reload the page');
    }
    expect(story.text).toBe('Once upon a time');
    const again = await openStore({ name });
    expect(await again.list()).toEqual([]);
    again.close();
  });

  it('stands aside for a newer version of itself, and does not open it', async () => {
    await store.save(story);
    (await openDB(name, 99)).close();
    expect(await rejection(store.load('tale'))).toMatchObject({ code: 'STORE_FAILED' });
    expect((await rejection(openStore({ name }))).message).toMatch('a newer version of this page made it');
  });

  it('gives up a database that does not open', async () => {
    store.close();
    const stubborn = await openDB(name, 1);
    const deletion = deleteDB(name); // waits for the connection, and the next one waits for the deletion
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const opening = rejection(openStore({ name, patience: 500 }));
    await vi.advanceTimersByTimeAsync(500);
    expect((await opening).message).toMatch('could not open its database (the browser gave no answer for 500 ms');
    stubborn.close();
    await deletion;
  });

  it('says that it was closed', async () => {
    store.close();
    expect((await rejection(store.load('tale'))).message).toMatch('it was closed; open it again');
  });
});
