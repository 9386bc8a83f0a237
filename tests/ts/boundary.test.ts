import { loadSampler } from 'quillmate-sampler';
import { expect, test } from 'vitest';
import { fuzzBoundary } from '../boundary/fuzz.js';

// The same calls in every run; npm run test:boundary makes others, and more.
test.each(['on', 'off'] as const)('hostile values are refused or answered, with SIMD %s', async (simd) => {
  const sampler = await loadSampler({ simd });
  const { answered, refused } = await fuzzBoundary(sampler, 1, 10_000);
  expect(answered).toBeGreaterThan(1000);
  expect(refused).toBeGreaterThan(1000);
});
