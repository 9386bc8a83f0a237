import type { Sampler } from 'quillmate-sampler';
import { beforeAll, expect, test, vi } from 'vitest';
import { countFinalizations, finalizedAfterCollection } from '../ts/finalizations.js';

const million = 1_000_000;
const batch = 10_000;
const prompt = new Int32Array(8);
let sampler: Sampler;

beforeAll(async () => {
  countFinalizations();
  const { loadSampler } = await import('quillmate-sampler');
  sampler = await loadSampler();
  vi.unstubAllGlobals();
});

const memory = (): number => {
  using row = new sampler.LogitsRow(1);
  return row.view.buffer.byteLength;
};
const make = (): InstanceType<Sampler['Generator']> => new sampler.Generator(() => [0, 1], prompt);

test('a million generators, each drawn from and disposed, leave the memory as it was and nothing to the collector', async () => {
  const live = (): void => {
    const generator = make();
    generator.draw([0, 1]);
    generator.dispose();
  };
  for (let i = 0; i < 1000; ++i) live();
  const before = memory();
  for (let i = 0; i < million; ++i) live();
  expect(memory()).toBe(before);
  expect(await finalizedAfterCollection(1)).toBe(0);
});

test('a million generators that are forgotten are all freed by the collector, and the memory stays within bounds', async () => {
  const forget = (): void => {
    for (let i = 0; i < batch; ++i) make();
  };
  forget();
  expect(await finalizedAfterCollection(batch)).toBe(batch);
  const before = memory();
  let freed = 0;
  for (let i = 0; i < million; i += batch) {
    forget();
    freed += await finalizedAfterCollection(batch);
  }
  expect(freed).toBe(million);
  expect(memory()).toBe(before);
});
