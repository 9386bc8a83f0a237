import { loadSampler, type GeneratorState } from 'quillmate-sampler';
import { loadModel, type ModelSnapshot, type OnnxModel } from 'quillmate-sampler/onnxruntime';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { sealed, type Memory } from '../../ts/dist/onnxruntime/snapshot.js';
import { bitsOf, forgetTexts, loadChanged, someText, unpadded } from './onnx-models.js';
import { tinyDecoder } from './tiny-decoder.js';

// Until an engine has optimised the runtime, it takes its time.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const promptLength = 20;
const text = someText(516);
/** How much of the text is known when the snapshot is made. */
const length = 120;

/** The rows of the next tokens of the text. */
async function rowsAfter(model: OnnxModel, of = text, from = length): Promise<string[]> {
  const rows = [];
  for (let end = from; end < from + 4; end++) rows.push(bitsOf(await model(of.slice(0, end), { promptLength })));
  return rows;
}

/** With another number in one of its values. */
function poisoned(memory: Memory): Memory {
  const data = memory.data.slice();
  data[data.length - 2]! ^= 1;
  return { ...memory, data };
}

describe('a snapshot of a model that is not invariant', () => {
  let model: OnnxModel;
  let another: OnnxModel;
  let snapshot: ModelSnapshot;
  let rows: string[];

  beforeAll(async () => {
    model = await loadChanged(unpadded.keys);
    another = await loadChanged(unpadded.keys);
    for (let end = promptLength; end < length; end++) await model(text.slice(0, end), { promptLength });
    snapshot = (await model.snapshot({ tokens: text.slice(0, length), promptLength }))!;
    rows = await rowsAfter(model);
  });
  afterAll(() => {
    model.dispose();
    another.dispose();
  });

  it('holds the keys and values of all tokens that were evaluated', () => {
    const tokens = text.slice(0, length - 1);
    expect(snapshot).toMatchObject({ version: 1, identity: model.identity, tokens, first: promptLength });
    expect(snapshot.data).toHaveLength(6 * 2 * 4 * 64 * 4 * tokens.length);
    expect(model.identity.invariant).toBe('no');
  });

  it('lets another model of the same file go on with the same bits as without it', async () => {
    expect(await rowsAfter(another)).toEqual(rows);
    await forgetTexts(another);
    expect(await another.restore(structuredClone(snapshot))).toBe(true);
    expect(await rowsAfter(another)).toEqual(rows);
  });

  it('is what the rows come from: with another number in it, and a hash that fits, they are others', async () => {
    await forgetTexts(another);
    expect(await another.restore(await sealed(another.identity, poisoned(snapshot)))).toBe(true);
    const changed = await rowsAfter(another);
    for (const [i, row] of changed.entries()) expect(row).not.toBe(rows[i]);
    await forgetTexts(another);
  });

  it.each<[string, (snapshot: ModelSnapshot) => unknown]>([
    ['is missing', () => undefined],
    ['is null', () => null],
    ['is a text', () => 'snapshot'],
    ['is empty', () => ({})],
    ['has another number', (snapshot) => ({ ...snapshot, ...poisoned(snapshot) })],
    ['is cut short', (snapshot) => ({ ...snapshot, data: snapshot.data.slice(0, -4) })],
    ['has lost its data', ({ data, ...rest }) => ({ ...rest, data: data.buffer })],
    ['has another token', (snapshot) => ({ ...snapshot, tokens: snapshot.tokens.with(50, 7) })],
    ['has another first call', (snapshot) => ({ ...snapshot, first: 21 })],
    ['has lost its hash', ({ hash, ...rest }) => ({ ...rest, hashed: hash })],
    ['is of another model', (snapshot) => sealed({ ...snapshot.identity, modelHash: 'sha256:0' }, snapshot)],
    ['was made by another runtime', (snapshot) => sealed({ ...snapshot.identity, runtimeVersion: '1.29.0' }, snapshot)],
    [
      'has fewer tokens than data',
      (snapshot) => sealed(snapshot.identity, { ...snapshot, tokens: snapshot.tokens.slice(1) }),
    ],
  ])('that %s is dropped, and the text evaluated anew', async (_, spoil) => {
    await forgetTexts(another);
    expect(await another.restore(await spoil(snapshot))).toBe(false);
    expect((await rowsAfter(another))[0]).toBe(rows[0]);
  });

  it('serves a branch as far as it goes', async () => {
    const branch = [...text.slice(0, 90), ...someText(40, 1)];
    const without = await rowsAfter(another, branch, 100);
    await forgetTexts(another);
    await another.restore(snapshot);
    expect(await rowsAfter(another, branch, 100)).toEqual(without);
    const part = await another.snapshot({ tokens: text.slice(0, 90), promptLength });
    expect(part?.tokens).toEqual(text.slice(0, 90));
  });

  it('is of no use to a text with the same tokens and another prompt', async () => {
    await forgetTexts(another);
    const whole = bitsOf(await another(text.slice(0, length), { promptLength: length }));
    await forgetTexts(another);
    await another.restore(snapshot);
    expect(bitsOf(await another(text.slice(0, length), { promptLength: length }))).toBe(whole);
  });

  it('is none where nothing is known of the text', async () => {
    await forgetTexts(another);
    expect(await another.snapshot({ tokens: text, promptLength })).toBeUndefined();
    expect(await another.snapshot({ tokens: [], promptLength: 0 })).toBeUndefined();
  });

  it('holds what the model sees of a text longer than its context', async () => {
    const long = { promptLength: 505 };
    const rowAt = async (end: number) => bitsOf(await another(text.slice(0, end), long));
    const expected = [await rowAt(513), await rowAt(514), await rowAt(515), await rowAt(516)];
    const seen = await another.snapshot({ tokens: text.slice(0, 515), ...long });
    expect(seen?.tokens).toEqual(text.slice(128, 515));
    await forgetTexts(another);
    await another.restore(seen);
    expect([await rowAt(515), await rowAt(516)]).toEqual(expected.slice(2));
  });

  it('lets a generator go on from its state as if there had been no break', async () => {
    const sampler = await loadSampler();
    using straight = new sampler.Generator(model, text.slice(0, 10), { seed: 42, temperature: 0.8, topP: 0.95 });
    await straight.run({ maxTokens: 12 });
    const state: GeneratorState = straight.state();
    const kept = structuredClone(await model.snapshot(state));
    await straight.run({ maxTokens: 12 });

    await forgetTexts(another);
    expect(await another.restore(kept)).toBe(true);
    using resumed = sampler.Generator.fromState(another, state);
    await resumed.run({ maxTokens: 12 });
    expect(resumed.state()).toEqual(straight.state());
  });
});

it('a snapshot of a model in 16 bits is as good', async () => {
  const config = new TextEncoder().encode(
    JSON.stringify({ max_position_embeddings: 64, num_attention_heads: 2, hidden_size: 8, vocab_size: 40 }),
  );
  const decoder = { layers: 2, heads: 2, headSize: 4, vocabSize: 40, told: true, positions: true, asked: false };
  const files = { config, model: tinyDecoder({ ...decoder, type: 'float16' }) };
  using model = await loadModel({ files });
  const row = await model([1, 2, 3, 4, 5]);
  const snapshot = (await model.snapshot({ tokens: [1, 2, 3, 4], promptLength: 4 }))!;
  expect(snapshot.data).toHaveLength(2 * 2 * 2 * 4 * 2 * 4);
  using another = await loadModel({ files });
  expect(await another.restore(snapshot)).toBe(true);
  expect(await another([1, 2, 3, 4, 5])).toEqual(row);
  // The sign of a value decides a logit.
  const other = { ...snapshot, data: snapshot.data.map((byte) => byte ^ 0x80) };
  using poisoned = await loadModel({ files });
  expect(await poisoned.restore(await sealed(model.identity, other))).toBe(true);
  expect(await poisoned([1, 2, 3, 4, 5])).not.toEqual(row);
  model.dispose();
  await expect(model.restore(snapshot)).rejects.toMatchObject({ code: 'MODEL_DISPOSED' });
  await expect(model.snapshot({ tokens: [1], promptLength: 1 })).rejects.toMatchObject({ code: 'MODEL_DISPOSED' });
});
