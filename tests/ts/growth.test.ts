import { loadSampler, type LogitsRow } from 'quillmate-sampler';
import { describe, expect, test } from 'vitest';

const sampler = await loadSampler({ simd: 'off' }); // of its own: what it grows is kept
const model = (tokens: readonly number[]): number[] => [1, 2, 3, 2].map((x, id) => (id === tokens.at(-1) ? x - 3 : x));
const taken: LogitsRow[] = [];

/** Takes memory until there is more of it, so that every view of before has lost its own. */
function grow(): void {
  const size = (): number => new sampler.LogitsRow(1).view.buffer.byteLength;
  const before = size();
  while (size() === before) taken.push(new sampler.LogitsRow(2 ** 19));
}

const generator = new sampler.Generator(model, [1], { seed: 42, audit: 'full' });
const state = generator.state();
const row = new sampler.LogitsRow(4);

/** Each of the surface's calls, with what it has to answer. */
const calls: Record<string, () => unknown> = {
  sampleToken: () => sampler.sampleToken(Float32Array.of(0, 1, 2), { u: 0.2 }),
  'sampleToken of a row in the memory': () => {
    row.view.set([0, 1, 2, 3]);
    return sampler.sampleToken(row.view, { u: 0.2 });
  },
  'sampleToken of 16-bit floats': () =>
    sampler.sampleToken({ type: 'bfloat16', data: Uint16Array.of(0, 0x3f80, 0x4000) }, { u: 0.2 }),
  sampleBatch: () => sampler.sampleBatch([0, 1, 2, 3], 2, { u: [0.2, 0.9] }),
  distribution: () => sampler.distribution([0, 1, 2, 3], { topP: 0.9 }),
  uniform: () => sampler.uniform(42, 1, 2),
  speculativeStep: () => sampler.speculativeStep([1, 2, 3], [3, 2, 1], 0, 0.9, 0.3),
  emittedDistribution: () => sampler.emittedDistribution([1, 2, 3], [3, 2, 1]),
  'a new generator': () => new sampler.Generator(model, [1, 2, 3], { seed: 7 }).state(),
  fromState: () => sampler.Generator.fromState(model, state).state(),
  replay: () => sampler.Generator.replay(model, state).step(),
  step: () => sampler.Generator.fromState(model, state).step(),
  draw: () => sampler.Generator.fromState(model, state).draw([0, 1, 2]),
  branch: () => generator.branch(1, { seed: 1 }).step(),
  state: () => generator.state(),
  stepBatch: () => sampler.stepBatch([1, 2].map((seed) => new sampler.Generator(model, [1], { seed }))),
};

describe('memory that grew just before does not change what is answered by', () => {
  test.each(Object.entries(calls))('%s', async (_, call) => {
    const before = await call();
    grow();
    expect(await call()).toEqual(before);
    taken.splice(0).forEach((one) => {
      one.dispose();
    });
  });
});

test('a refusal is as clear', () => {
  grow();
  expect(() => sampler.sampleToken([0, NaN], { u: 0 })).toThrow('the logit of token 1 is NaN');
});
