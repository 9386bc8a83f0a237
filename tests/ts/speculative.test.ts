import { loadSampler } from 'quillmate-sampler';
import { describe, expect, test } from 'vitest';
import { refusalOf, wrong } from './refusal.js';

const sampler = await loadSampler();

describe('speculativeStep', () => {
  const p = [0.34, 0.33, 0.33];
  const q = [0.8, 0.15, 0.05];

  test('follows the law of the target', () => {
    const draws = 30_000;
    const counts = [0, 0, 0];
    for (let i = 0; i < draws; ++i) {
      const draft = sampler.sampleToken(
        q.map((weight) => Math.log(weight)),
        { u: sampler.uniform(1, i, 1) },
      );
      const { token } = sampler.speculativeStep(p, q, draft, sampler.uniform(1, i, 2), sampler.uniform(1, i, 3));
      counts[token]! += 1;
    }
    const chiSquare = p.reduce((sum, share, i) => sum + (counts[i]! - share * draws) ** 2 / (share * draws), 0);
    expect(chiSquare).toBeLessThan(13.8); // two degrees of freedom: 1 in 1000
  });

  test('accepts the draft token while u q < p, and corrects it otherwise', () => {
    expect(sampler.speculativeStep(p, q, 0, 0.42, 0)).toEqual({ token: 0, accepted: true });
    expect(sampler.speculativeStep(p, q, 0, 0.43, 0)).toEqual({ token: 1, accepted: false });
    expect(sampler.speculativeStep(p, q, 0, 0.43, 0.99)).toEqual({ token: 2, accepted: false });
  });

  test('takes weights that do not sum to 1, in every kind of array', () => {
    for (const target of [[2, 6], Float32Array.of(2, 6), Float64Array.of(2, 6)]) {
      expect(sampler.speculativeStep(target, [9, 3], 0, 0.5, 0.5)).toEqual({ token: 1, accepted: false });
    }
  });

  test.each([0.5, -1, 2, NaN, Infinity, '0', null])('refuses %s as the draft token', (draft) => {
    expect(refusalOf(() => sampler.speculativeStep([1, 1], [1, 1], wrong(draft), 0, 0)).code).toBe('INVALID_TOKEN');
  });

  test('refuses what is no number', () => {
    const refused = (...given: unknown[]) =>
      refusalOf(() => sampler.speculativeStep(...wrong<Parameters<typeof sampler.speculativeStep>>(given)));
    expect(refused([1, '1'], [1, 1], 0, 0, 0)).toMatchObject({ code: 'INVALID_WEIGHT', index: 1, value: '"1"' });
    expect(refused([1, 1], null, 0, 0, 0)).toMatchObject({ code: 'INVALID_WEIGHT', detail: 'the draft' });
    expect(refused([1, 1], [1, 1], 0, '0', 0).code).toBe('INVALID_U');
    expect(refused([1, 1], [1, 1], 0, 0, undefined).code).toBe('INVALID_U');
  });
});

describe('emittedDistribution', () => {
  test('is the target, and says how often a draft is accepted', () => {
    const { distribution, alpha } = sampler.emittedDistribution([0.34, 0.33, 0.33], [0.8, 0.15, 0.05]);
    expect(alpha).toBeCloseTo(0.54, 12);
    expect([...distribution].map((probability) => probability.toFixed(12))).toEqual(['0.340000000000', '0.330000000000', '0.330000000000']); // prettier-ignore
  });

  test('accepts always when the draft is the target', () => {
    expect(sampler.emittedDistribution([1, 2, 5], [2, 4, 10]).alpha).toBe(1);
  });
});
