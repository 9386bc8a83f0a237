import { deleteDB, openDB, type IDBPDatabase } from 'idb';
import { loadModel, type ModelSnapshot } from 'quillmate-sampler/onnxruntime';
import { type GeneratorState, openStore, SamplerError, type Store, type Story } from 'quillmate-sampler/store';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tinyDecoder } from './tiny-decoder.js';

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
    for (const place of ['stories', 'summaries']) await database.put(place, record);
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

  it('keeps what belongs to the content out of its list, and reads no story for it', async () => {
    await store.save({ ...story, body: { notes: ['long'] } });
    expect(await store.load('tale')).toMatchObject({ body: { notes: ['long'] } });
    const reads = vi.spyOn(IDBDatabase.prototype, 'transaction');
    expect((await store.list())[0]).not.toHaveProperty('body');
    expect(reads.mock.calls.map(([names]) => names)).toEqual([['summaries']]);
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

  it.each([
    ['text', { ...story, text: undefined }],
    ['state', { ...story, state: undefined }],
    ['state', { ...story, state: '{}' }],
    ['id', { ...story, id: 1 }],
  ])('refuses a %s that no export could give back', async (part, wrong) => {
    const { message } = (await rejection(store.save(wrong as unknown as typeof story))) as Error;
    expect(message).toMatch(new RegExp(`could not save .* \\(its ${part} is `));
    expect(await store.list()).toEqual([]);
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
    const stubborn = await openDB(name);
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

  it('saves over the revision that was seen, and over no other', async () => {
    const { revision } = await store.save(story, { revision: 0 });
    await store.save({ ...story, text: 'mine' }, { revision });
    for (const seen of [0, revision, 3]) {
      const error = await rejection(store.save({ ...story, text: 'theirs' }, { revision: seen }));
      expect(error).toMatchObject({ code: 'STORE_CONFLICT', value: '2', detail: '"tale"' });
    }
    expect(await rejection(store.save({ ...story, id: 'new' }, { revision: 1 }))).toMatchObject({ value: '0' });
    expect(await store.load('tale')).toMatchObject({ text: 'mine', revision: 2 });
  });

  it('lets one of two tabs win that save the same revision at once', async () => {
    const other = await openStore({ name });
    await store.save(story);
    const saves = [store, other].map((tab, index) => tab.save({ ...story, text: String(index) }, { revision: 1 }));
    const results = await Promise.allSettled(saves);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await store.load('tale')).toMatchObject({
      text: String(results.findIndex(({ status }) => status === 'fulfilled')),
      revision: 2,
    });
    other.close();
  });

  it('asks for the durability that a save wants', async () => {
    const transaction = vi.spyOn(IDBDatabase.prototype, 'transaction');
    await store.save(story);
    await store.save(story, { durability: 'strict' });
    expect(transaction.mock.calls.map(([, , options]) => options)).toEqual([
      { durability: 'relaxed' },
      { durability: 'strict' },
    ]);
  });

  describe('autosave', () => {
    it('saves the newest state, however often it changes, and strictly when it is flushed', async () => {
      const save = vi.spyOn(store, 'save');
      const statuses: string[] = [];
      let text = '';
      const autosave = store.autosave({
        snapshot: () => ({ ...story, text }),
        onStatus: (status) => statuses.push(status),
        revision: 0,
      });
      for (let token = 0; token < 1000; token++) {
        text += 'a';
        autosave.changed();
      }
      await autosave.flush();
      expect(await store.load('tale')).toMatchObject({ text });
      expect(save.mock.calls.length).toBeLessThanOrEqual(2);
      expect(save.mock.lastCall?.[1]).toEqual({ durability: 'strict', revision: save.mock.calls.length - 1 });
      expect(statuses).toEqual(['saving', 'saved']);
    });

    it('goes on when a change comes of what it tells', async () => {
      let text = 'a';
      const autosave = store.autosave({
        snapshot: () => ({ ...story, text }),
        onStatus: (status) => {
          if (status !== 'saved' || text === 'b') return;
          text = 'b';
          autosave.changed();
        },
      });
      await autosave.flush();
      await autosave.flush();
      expect(await store.load('tale')).toMatchObject({ text: 'b' });
    });

    it('tells of a save that is refused, and tries again at the next change', async () => {
      const told: unknown[] = [];
      const autosave = store.autosave({
        snapshot: () => story,
        onStatus: (status, error) => told.push(status, (error as SamplerError | undefined)?.code),
      });
      vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
        throw new DOMException('no room', 'QuotaExceededError');
      });
      expect(await rejection(autosave.flush())).toMatchObject({ code: 'STORE_FAILED' });
      autosave.changed();
      vi.restoreAllMocks();
      await autosave.flush();
      expect(told.slice(0, 4)).toEqual(['saving', undefined, 'failed', 'STORE_FAILED']);
      expect(told.slice(-2)).toEqual(['saved', undefined]);
      expect(await store.load('tale')).toMatchObject({ text: story.text });
    });

    it('tells of a snapshot that throws', async () => {
      const autosave = store.autosave({
        snapshot: () => {
          throw new Error('not now');
        },
      });
      for (let i = 0; i < 2; i++) await expect(autosave.flush()).rejects.toThrow('not now');
    });

    it('does not overwrite what another tab has saved', async () => {
      const { revision } = await store.save(story);
      const autosave = store.autosave({ snapshot: () => ({ ...story, text: 'mine' }), revision });
      await autosave.flush();
      await store.save({ ...story, text: 'theirs' });
      expect(await rejection(autosave.flush())).toMatchObject({ code: 'STORE_CONFLICT' });
      expect(await store.load('tale')).toMatchObject({ text: 'theirs' });
    });
  });

  describe('a story that is held', () => {
    it('has one holder, and the next when that lets go', async () => {
      const other = await openStore({ name });
      const release = await store.hold('tale');
      const order: string[] = [];
      const waiting = other.hold('tale').then((next) => {
        order.push('held by the other');
        next();
      });
      (await other.hold('another tale'))();
      order.push('let go');
      release();
      await waiting;
      expect(order).toEqual(['let go', 'held by the other']);
      other.close();
    });

    it('is waited for until the signal says no', async () => {
      const release = await store.hold('tale');
      const controller = new AbortController();
      const waiting = store.hold('tale', { signal: controller.signal });
      controller.abort(new Error('enough'));
      await expect(waiting).rejects.toThrow('enough');
      release();
      (await store.hold('tale'))();
    });

    it('is held at once where there are no locks', async () => {
      vi.spyOn(globalThis, 'navigator', 'get').mockReturnValue({} as Navigator);
      await store.hold('tale');
      await store.hold('tale');
    });
  });

  describe('a snapshot', () => {
    const snapshot = { tokens: [0, 1], data: Uint8Array.of(1, 2, 3) };

    it('is kept beside its story, replaced and removed', async () => {
      expect(await store.loadSnapshot('tale')).toBeUndefined();
      await store.saveSnapshot('tale', snapshot);
      await store.saveSnapshot('another', 5);
      expect(await store.loadSnapshot('tale')).toEqual(snapshot);
      await store.saveSnapshot('tale', { ...snapshot, data: Uint8Array.of(4) });
      expect(await store.loadSnapshot('tale')).toEqual({ ...snapshot, data: Uint8Array.of(4) });
      await store.saveSnapshot('tale', undefined);
      expect(await store.loadSnapshot('tale')).toBeUndefined();
      expect(await store.loadSnapshot('another')).toBe(5);
    });

    it('is no part of the story: neither its revision nor an export knows of it', async () => {
      await store.save(story);
      const file = await store.exportAll();
      await store.saveSnapshot('tale', snapshot);
      expect(await store.exportAll()).toBe(file);
      expect(await store.load('tale')).toMatchObject({ revision: 1 });
    });

    it('goes with its story', async () => {
      await store.save(story);
      await store.saveSnapshot('tale', snapshot);
      await store.delete('tale');
      expect(await store.loadSnapshot('tale')).toBeUndefined();
    });

    it('that has no room leaves the earlier one and the story', async () => {
      await store.save(story);
      await store.saveSnapshot('tale', snapshot);
      vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
        throw new DOMException('no room', 'QuotaExceededError');
      });
      const error = await rejection(store.saveSnapshot('tale', {}));
      expect(error.message).toMatch('could not save the snapshot of "tale" (the room that the browser grants is full');
      expect(await store.loadSnapshot('tale')).toEqual(snapshot);
      expect(await store.load('tale')).toMatchObject({ text: story.text });
    });

    it('of a model is good after it was stored, and not when it was damaged there', async () => {
      const decoder = { type: 'float32', layers: 1, heads: 1, headSize: 4, vocabSize: 9 } as const;
      const files = {
        config: new TextEncoder().encode(JSON.stringify({ max_position_embeddings: 8 })),
        model: tinyDecoder({ ...decoder, told: true, positions: true, asked: false }),
      };
      using model = await loadModel({ files });
      await model([1, 2]);
      await store.saveSnapshot('tale', await model.snapshot({ tokens: [1, 2], promptLength: 2 }));
      const stored = (await store.loadSnapshot('tale')) as ModelSnapshot;
      expect(await model.restore(stored)).toBe(true);
      await store.saveSnapshot('tale', { ...stored, data: stored.data.map((byte, i) => (i === 9 ? byte ^ 1 : byte)) });
      expect(await model.restore(await store.loadSnapshot('tale'))).toBe(false);
    });
  });

  it('brings a database of the first version to this one, with its stories', async () => {
    store.close();
    await deleteDB(name);
    const stored = { ...story, version: 1, revision: 4, createdAt: 1000, updatedAt: 2000 };
    const first = await openDB(name, 1, {
      upgrade: (database) => void database.createObjectStore('stories', { keyPath: 'id' }),
    });
    await first.put('stories', stored);
    first.close();

    store = await openStore({ name });
    expect(await store.load('tale')).toEqual(stored);
    expect(await store.list()).toEqual([expect.objectContaining({ id: 'tale', data: story.data, revision: 4 })]);
    expect(await store.save(story, { revision: 4 })).toMatchObject({ revision: 5, createdAt: 1000 });
    await store.saveSnapshot('tale', 5);
    expect(await store.loadSnapshot('tale')).toBe(5);
  });

  it('leaves a database alone that is none of its own', async () => {
    store.close();
    await deleteDB(name);
    (await openDB(name, 1)).close();
    expect((await rejection(openStore({ name }))).message).toMatch('it cannot be brought to this version');
    await deleteDB(name);
    store = await openStore({ name });
  });

  it('says that a tab with the first version must be closed', async () => {
    store.close();
    await deleteDB(name);
    const upgrade = (database: IDBPDatabase): void => void database.createObjectStore('stories', { keyPath: 'id' });
    const old = await openDB(name, 1, { upgrade }); // heeds nobody
    const error = await rejection(openStore({ name, patience: 200 }));
    expect(error.message).toMatch('another tab keeps an older version open; close that tab');
    old.close();
    store = await openStore({ name });
  });

  describe('an export', () => {
    it('holds everything, and an import puts it back as it was', async () => {
      vi.useFakeTimers({ toFake: ['Date'], now: 1000 });
      await store.save(story);
      await store.save({ id: 'new', text: 'curly “quotes” \u2028 and 😀', state: null });
      await store.save(story);
      const file = await store.exportAll();
      const before = await Promise.all([store.load('tale'), store.load('new')]);
      await store.delete('tale');
      await store.delete('new');
      expect(await store.importAll(file)).toEqual(['new', 'tale']);
      expect(await Promise.all([store.load('tale'), store.load('new')])).toEqual(before);
      expect(await store.exportAll()).toBe(file);
    });

    it('overwrites nothing when it is imported', async () => {
      await store.save(story);
      const file = await store.exportAll();
      expect(await store.importAll(file)).toEqual(['tale']);
      expect(await store.list()).toHaveLength(1);
      await store.save({ ...story, text: 'changed since' });
      expect(await store.importAll(file)).toEqual(['tale (2)']);
      expect(await store.importAll(file)).toEqual(['tale (2)']);
      expect(await store.load('tale')).toMatchObject({ text: 'changed since' });
      expect(await store.load('tale (2)')).toMatchObject({ text: story.text, state });
      expect(await store.list()).toHaveLength(2);
    });

    const good = { id: 'a', version: 1, revision: 1, createdAt: 1, updatedAt: 1, text: 'A', state: null };
    const file = (stories: unknown, rest: object = {}) =>
      JSON.stringify({ format: 'quillmate-stories', version: 1, stories, ...rest });
    it.each<[string, unknown, string]>([
      ['no text', 5, 'INVALID_EXPORT'],
      ['no JSON', '{', 'INVALID_EXPORT'],
      ['a list', '[]', 'INVALID_EXPORT'],
      ['a generator state', JSON.stringify(state), 'INVALID_EXPORT'],
      ['another version', file([], { version: 2 }), 'INVALID_EXPORT'],
      ['no stories', file({}), 'INVALID_EXPORT'],
      ['a story that is none', file([good, null]), 'INVALID_EXPORT'],
      ['an id twice', file([good, good]), 'INVALID_EXPORT'],
      ['no id', file([good, { ...good, id: undefined }]), 'INVALID_EXPORT'],
      ['a text that is none', file([good, { ...good, id: 'b', text: 1 }]), 'INVALID_EXPORT'],
      ['a state that is none', file([good, { ...good, id: 'b', state: 'state' }]), 'INVALID_EXPORT'],
      ['a time that is none', file([good, { ...good, id: 'b', createdAt: '1' }]), 'INVALID_EXPORT'],
      ['a record of another version', file([good, { ...good, id: 'b', version: 2 }]), 'STORE_RECORD_UNKNOWN'],
    ])('that is %s is refused, and nothing is stored', async (_, text, code) => {
      expect(await rejection(store.importAll(text as string))).toMatchObject({ code });
      expect(await store.list()).toEqual([]);
    });

    it('is stored as a whole or not at all', async () => {
      const text = file([good, { ...good, id: 'b' }]);
      // eslint-disable-next-line @typescript-eslint/unbound-method -- called on an object store again
      const put = IDBObjectStore.prototype.put;
      vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore, record: unknown) {
        if ((record as Story).id === 'b') throw new DOMException('no room', 'QuotaExceededError');
        return put.call(this, record);
      });
      expect(await rejection(store.importAll(text))).toMatchObject({ code: 'STORE_FAILED' });
      expect(await store.list()).toEqual([]);
    });
  });

  it('tells whether the browser keeps the stories, also when the browser says nothing', async () => {
    const persist = vi.spyOn(navigator.storage, 'persist');
    persist.mockResolvedValueOnce(true);
    expect(await store.persist()).toBe(true);
    persist.mockRejectedValueOnce(new Error('no'));
    expect(await store.persist()).toBe(false);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    persist.mockReturnValueOnce(new Promise(() => undefined));
    const silence = store.persist();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await silence).toBe(false);
  });
});
