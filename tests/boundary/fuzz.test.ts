import { loadSampler } from 'quillmate-sampler';
import { expect, test } from 'vitest';
import { fuzzBoundary } from './fuzz.js';

const calls = 250_000;
const rounds = 10;

test.each(['on', 'off'] as const)('a quarter of a million hostile calls, with SIMD %s', async (simd) => {
  const sampler = await loadSampler({ simd });
  const first = Date.now(); // other calls each time; a failure names its seed
  let answered = 0;
  for (let round = 0; round < rounds; ++round) {
    answered += (await fuzzBoundary(sampler, first + round, calls / rounds)).answered;
  }
  console.log(`SIMD ${simd}, seeds from ${first}: ${answered} of ${calls} calls were answered, the others refused`);
  expect(answered).toBeGreaterThan(calls / 10);
});
