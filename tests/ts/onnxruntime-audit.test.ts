import { loadSampler, type AuditMode, type GeneratorState } from 'quillmate-sampler';
import { loadModel, type OnnxModel } from 'quillmate-sampler/onnxruntime';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { withConstant } from './onnx-file.js';
import { bitsOf, bundled, loadChanged, someText, unpadded } from './onnx-models.js';

// Until an engine has optimised the runtime, it takes its time.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const sampler = await loadSampler();
const prompt = [0, ...someText(5)];
const maxTokens = 24;
const end = prompt.length + maxTokens;

let original: OnnxModel;
const states = new Map<AuditMode, GeneratorState>();

beforeAll(async () => {
  original = await loadModel({ url: bundled });
  for (const audit of ['light', 'full'] as const) {
    using generator = new sampler.Generator(original, prompt, { seed: 11, temperature: 0.8, topP: 0.95, audit });
    await generator.run({ maxTokens });
    states.set(audit, generator.state());
  }
});

afterAll(() => {
  original.dispose();
});

/** The text of a state written again. */
async function replayed(model: OnnxModel, audit: AuditMode) {
  using replay = sampler.Generator.replay(model, states.get(audit)!);
  await replay.run({ maxTokens });
  const { tokens, mismatch, identityChanges } = replay;
  return { tokens, mismatch, identityChanges };
}

/** The first token of a text that two models draw from different rows. */
async function firstDifference(model: OnnxModel, tokens: readonly number[]): Promise<number> {
  for (let length = prompt.length; length < end; length++) {
    const [one, other] = await Promise.all(
      [original, model].map(async (model) =>
        bitsOf(await model(tokens.slice(0, length), { promptLength: prompt.length })),
      ),
    );
    if (one !== other) return length;
  }
  return -1;
}

/** An int8 weight in the middle of a layer of the middle. */
const oneWeight = (model: Uint8Array) =>
  withConstant(model, 'layers.3.down.q', (data) => {
    data[data.length / 2]! ^= 1;
  });

/** The table of positions at one place: only texts that reach it see the difference. */
const onePosition = (model: Uint8Array) =>
  withConstant(model, 'rope.sin', (data) => {
    data[15 * 32 * 4]! ^= 1;
  });

/** The weights of a layer in 4 bits, where they had 8. */
const fewerBits = (model: Uint8Array) =>
  withConstant(model, 'layers.5.gu.q', (data) => {
    data.set(data.map((weight) => weight & 0xf0));
  });

describe.each<[string, (model: Uint8Array) => Uint8Array<ArrayBuffer>, string[], number | undefined]>([
  ['with one weight changed', oneWeight, ['modelHash'], prompt.length],
  ['with one position changed', onePosition, ['modelHash'], 16],
  ['with a layer quantised to fewer bits', fewerBits, ['modelHash'], prompt.length],
  ['with another graph', unpadded.keys, ['modelHash', 'invariant'], undefined],
])('a replay with the bundled model, %s,', (_, change, fields, place) => {
  let changed: OnnxModel;
  beforeAll(async () => {
    changed = await loadChanged(change);
  });
  afterAll(() => {
    changed.dispose();
  });

  it('tells the token whose row differs first, and what the model is now', async () => {
    const { tokens, mismatch, identityChanges } = await replayed(changed, 'full');
    const first = await firstDifference(changed, tokens);
    expect(first).toBeGreaterThanOrEqual(prompt.length);
    if (place !== undefined) expect(first).toBe(place);
    expect(mismatch).toEqual({ first, last: first, identityChanges });
    expect(identityChanges).toEqual(
      fields.map((field) => ({ field, before: original.identity[field], now: changed.identity[field] })),
    );
    for (const { before, now } of identityChanges) expect(now).not.toBe(before);
  });

  it('tells with a light audit that some row differs', async () => {
    const { mismatch, identityChanges } = await replayed(changed, 'light');
    expect(mismatch).toEqual({ first: prompt.length, last: end - 1, identityChanges });
    expect(identityChanges.map(({ field }) => field)).toEqual(fields);
  });

  it('writes the text of the numbers that there are', async () => {
    using straight = new sampler.Generator(changed, prompt, { seed: 11, temperature: 0.8, topP: 0.95 });
    await straight.run({ maxTokens });
    for (const audit of ['light', 'full'] as const)
      expect((await replayed(changed, audit)).tokens).toEqual(straight.tokens);
  });
});

describe('a replay with the bundled model itself', () => {
  it.each(['light', 'full'] as const)('finds nothing, audit %s', async (audit) => {
    using again = await loadModel({ url: bundled });
    expect(await replayed(again, audit)).toEqual({
      tokens: states.get(audit)!.tokens,
      mismatch: undefined,
      identityChanges: [],
    });
  });

  it('tells that it has other threads now, which make the same numbers', async () => {
    using threaded = await loadModel({ url: bundled, threads: 2, invariant: true });
    expect(await replayed(threaded, 'full')).toEqual({
      tokens: states.get('full')!.tokens,
      mismatch: undefined,
      identityChanges: [{ field: 'threads', before: '1', now: '2' }],
    });
  });
});
