import { loadSampler } from 'quillmate-sampler';
import { describe, expect, test } from 'vitest';
import { refusalOf, wrong } from './refusal.js';

const sampler = await loadSampler();
const justBelow1 = 1 - 2 ** -53;
const logs = (probabilities: readonly number[]) => probabilities.map((p) => Math.log(p));
const kept = (logits: readonly number[], topP: number, topK = 0) => [
  ...sampler.distribution(logits, { topP, topK }).ids,
];

describe('a banned token', () => {
  test('is never returned, at either end of u', () => {
    const tokens = [0, justBelow1].map((u) => sampler.sampleToken([-Infinity, 0], { u }));
    expect(tokens).toEqual([1, 1]);
  });

  test('is never returned among others, in 128 rows of 50 with 40 banned', () => {
    for (let row = 0; row < 128; ++row) {
      const logits = Array.from({ length: 50 }, (_, i) =>
        (i + row) % 5 === 0 ? sampler.uniform(row, i) * 20 - 10 : -Infinity,
      );
      for (let i = 0; i < 200; ++i) {
        const token = sampler.sampleToken(logits, { u: sampler.uniform(row, i, 1) });
        expect(logits[token]).not.toBe(-Infinity);
      }
    }
  });
});

describe('temperature 0', () => {
  test('takes the largest logit, the first of equal ones, whatever the other settings', () => {
    const settings = [{}, { topK: 40 }, { topP: 0 }, { topK: 1, topP: 0.5 }];
    for (const more of settings)
      expect(sampler.sampleToken([1, 3, 3, 2], { temperature: 0, u: 0.99, ...more })).toBe(1);
  });

  test('may be written -0', () => {
    expect(sampler.sampleToken([1, 3, 3, 2], { temperature: -0, u: 0 })).toBe(1);
  });
});

describe('top-p', () => {
  test.each([
    [[0.5, 0.3, 0.2], 0.8, 2],
    [Array<number>(10).fill(0.1), 0.3, 3],
    [Array<number>(10).fill(0.1), 0.8, 8],
    [[0.4, 0.3, 0.2, 0.1], 0.7, 2],
    [[0.4, 0.3, 0.2, 0.1], 0.9, 3],
    [[0.5, 0.3, 0.15, 0.05], 0.6, 2],
    [[0.5, 0.3, 0.15, 0.05], 0.85, 3],
  ])('of %j at %d keeps %d', (probabilities, topP, count) => {
    expect(kept(logs(probabilities), topP)).toEqual(Array.from({ length: count }, (_, i) => i));
  });

  test('0 keeps the largest logit, alone and with top-k', () => {
    expect([kept([0, 5, 1], 0), kept([0, 5, 1], 0, 2)]).toEqual([[1], [1]]);
  });

  test('keeps the same half of a thousand equal logits each time', () => {
    const equal = new Float32Array(1000).fill(1);
    const first500 = Array.from({ length: 500 }, (_, i) => i);
    for (let i = 0; i < 2; ++i) expect([...sampler.distribution(equal, { topP: 0.5 }).ids]).toEqual(first500);
  });

  test.each([1, 2, 3, 5, 17, 31, 33, 127, 129, 50257])('draws inside the nucleus of a row of %d', (size) => {
    const logits = Float32Array.from({ length: size }, (_, i) => sampler.uniform(size, i) * 8);
    const nucleus = new Set(sampler.distribution(logits, { topP: 0.9 }).ids);
    for (const u of [0, 0.25, 0.5, 0.75, justBelow1]) {
      expect(nucleus).toContain(sampler.sampleToken(logits, { topP: 0.9, u }));
    }
  });
});

describe('top-k', () => {
  test('keeps exactly k, of equal logits the lower ids', () => {
    expect(kept([1, 2, 2, 2, 3], 1, 3)).toEqual([1, 2, 4]);
  });

  test('0 keeps all, as a k past the end does', () => {
    const logits = [0, 1, 2, 3, 4, 5];
    for (const topK of [0, 6, 7, 1e300]) {
      expect(kept(logits, 1, topK)).toEqual([0, 1, 2, 3, 4, 5]);
      expect(sampler.sampleToken(logits, { topK, u: justBelow1 })).toBe(5);
    }
  });
});

test('the worked example: four tokens, two kept, two draws', () => {
  const settings = { temperature: 1, topP: 0.75 };
  const logits = logs([0.05, 0.5, 0.15, 0.3]);
  expect(sampler.sampleToken(logits, { ...settings, u: 0.5 })).toBe(1);
  expect(sampler.sampleToken(logits, { ...settings, u: 0.7 })).toBe(3);
});

describe('a wrong value', () => {
  const row = [1, 2, 3];
  test.each([
    ['temperature', 'INVALID_TEMPERATURE'],
    ['topK', 'INVALID_TOP_K'],
    ['topP', 'INVALID_TOP_P'],
    ['u', 'INVALID_U'],
  ])('of %s is refused with %s and shown', (name, code) => {
    const values: [unknown, string][] = [
      ['0.7', '"0.7"'],
      [null, 'null'],
      [true, 'true'],
      [1n, '1n'],
      [[0.5], 'an Array'],
      [NaN, 'NaN'],
      [-1, '-1'],
      [Infinity, 'Infinity'],
    ];
    for (const [value, shown] of values) {
      const error = refusalOf(() => sampler.sampleToken(row, wrong({ u: 0.5, [name]: value })));
      expect(error).toMatchObject({ name: 'SamplerError', code, value: shown });
      expect(error.message).toContain(shown);
    }
  });

  test('of topK is refused when it is not whole', () => {
    expect(refusalOf(() => sampler.sampleToken(row, { topK: 1.5, u: 0 }))).toMatchObject({
      code: 'INVALID_TOP_K',
      value: '1.5',
    });
  });

  test('of u is refused when it is missing', () => {
    expect(refusalOf(() => sampler.sampleToken(row, wrong({}))).code).toBe('INVALID_U');
  });

  test('of a setting that is undefined is its default', () => {
    const settings = { temperature: undefined, topK: undefined, topP: undefined, u: 0.5 };
    expect(sampler.sampleToken(row, settings)).toBe(sampler.sampleToken(row, { u: 0.5 }));
  });

  test.each([
    [undefined, 'undefined'],
    [null, 'null'],
    ['1, 2', '"1, 2"'],
    [new Uint8Array(3), 'a Uint8Array'],
    [new ArrayBuffer(8), 'an ArrayBuffer'],
    [[1, '2'], 'an array with "2" at 1'],
    [[1, , 3], 'an array with undefined at 1'], // eslint-disable-line no-sparse-arrays
  ])('of the logits is refused: %s', (logits, shown) => {
    expect(refusalOf(() => sampler.sampleToken(wrong(logits), { u: 0 }))).toMatchObject({
      code: 'INVALID_LOGITS',
      value: shown,
    });
  });

  test('among the logits is refused with its index', () => {
    const refused = (logits: readonly number[]) => {
      const { code, index } = refusalOf(() => sampler.sampleToken(logits, { u: 0 }));
      return [code, index];
    };
    expect(refused([1, 2, NaN, 4])).toEqual(['NAN_LOGIT', 2]);
    expect(refused([NaN, 2])).toEqual(['NAN_LOGIT', 0]);
    expect(refused([1, NaN])).toEqual(['NAN_LOGIT', 1]);
    expect(refused([1, Infinity, 3])).toEqual(['INFINITE_LOGIT', 1]);
    expect(refused([-Infinity, -Infinity])).toEqual(['ALL_BANNED', undefined]);
    expect(refused([])).toEqual(['EMPTY_ROW', undefined]);
  });
});

test('a setting that no call knows is refused, with those that this one takes', () => {
  const given = { temperature: 1, topK: 0, u: 0, seed: 7, top_p: 0.5 };
  for (const [call, names] of [
    [() => sampler.sampleToken([1, 2], given), 'temperature, topK, topP, u'],
    [() => sampler.sampleBatch([1, 2], 2, given), 'temperature, topK, topP, u'],
    [() => sampler.distribution([1, 2], given), 'temperature, topK, topP'],
    [() => new sampler.Generator(() => [1, 2], [], given), 'temperature, topK, topP, seed, audit'],
  ] as const) {
    const error = refusalOf(call);
    expect(error.code).toBe('UNKNOWN_SETTING');
    expect(error.message).toBe(`there is no setting "top_p"; the settings are ${names}`);
  }
});

test('settings that are missing or no object are refused', () => {
  const refused = (settings: unknown) => refusalOf(() => sampler.sampleToken([1], wrong(settings)));
  expect(refused(undefined).code).toBe('INVALID_U');
  expect(refused(null).code).toBe('INVALID_U');
  expect(refused('x')).toMatchObject({ code: 'INVALID_TEMPERATURE', value: '"x"' });
  expect(refusalOf(() => sampler.sampleBatch([1], 1, wrong(undefined))).code).toBe('INVALID_U');
  expect(sampler.distribution([1], wrong(null)).ids).toEqual(Int32Array.of(0));
});
