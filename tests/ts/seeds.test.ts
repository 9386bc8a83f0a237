import { loadSampler, type GeneratorOptions } from 'quillmate-sampler';
import { describe, expect, test } from 'vitest';
import { toyModel } from './fixtures.js';
import { refusalOf, wrong } from './refusal.js';

const sampler = await loadSampler();
const model = toyModel(50, '9');

async function write(options: GeneratorOptions): Promise<number[]> {
  using generator = new sampler.Generator(model, [0], options);
  for (let i = 0; i < 20; ++i) await generator.step();
  return generator.tokens;
}

test('one seed writes one text, two seeds two', async () => {
  const texts = await Promise.all([42, 42n, '42', 42, 42].map((seed) => write({ seed })));
  expect(new Set(texts.map(String)).size).toBe(1);
  expect(await write({ seed: 43 })).not.toEqual(texts[0]);
});

test('without a seed a fresh one is drawn and told, and typed in by hand it writes the same text', async () => {
  const [one, other] = [new sampler.Generator(model, [0]), new sampler.Generator(model, [0], { seed: undefined })];
  expect(one.seed).toMatch(/^\d+$/);
  expect(one.seed).not.toBe(other.seed);
  for (let i = 0; i < 20; ++i) await one.step();
  expect(await write({ seed: one.seed })).toEqual(one.tokens);
});

test('a fresh seed uses all 64 bits', () => {
  const seeds = Array.from({ length: 64 }, () => BigInt(new sampler.Generator(model, []).seed));
  expect(new Set(seeds).size).toBe(64);
  expect(seeds.reduce((bits, seed) => bits | seed)).toBe(2n ** 64n - 1n);
});

test('first draws of seeds 1 to 1000 are spread evenly', () => {
  const tenths = Array<number>(10).fill(0);
  for (let seed = 1; seed <= 1000; ++seed) tenths[Math.floor(sampler.uniform(seed, 0) * 10)]! += 1;
  expect(Math.min(...tenths)).toBeGreaterThan(70);
  expect(Math.max(...tenths)).toBeLessThan(130);
});

describe('a 64-bit number', () => {
  test('may be a safe integer, a bigint or a decimal string', () => {
    expect(sampler.uniform(1, 0)).toBe(0.8902591757080309);
    expect(sampler.uniform('1', 0n, '0')).toBe(0.8902591757080309);
    expect(sampler.uniform(2n ** 64n - 1n, 2 ** 40, 3)).toBe(0.03127643774772315);
    expect(sampler.uniform('18446744073709551615', '1099511627776', 3n)).toBe(0.03127643774772315);
  });

  const values: [unknown, string][] = [
    [-1, '-1'],
    [1.5, '1.5'],
    [NaN, 'NaN'],
    [Infinity, 'Infinity'],
    ['abc', '"abc"'],
    ['', '""'],
    [' 1', '" 1"'],
    ['0x10', '"0x10"'],
    [2n ** 64n, '18446744073709551616n'],
    [-1n, '-1n'],
    ['18446744073709551616', '"18446744073709551616"'],
    [Number('9007199254740993'), '9007199254740992'],
    [null, 'null'],
    [true, 'true'],
  ];
  test.each(values)('is not %s', (value, shown) => {
    const given = wrong<number>(value);
    expect(refusalOf(() => sampler.uniform(given, 0))).toMatchObject({ code: 'INVALID_SEED', value: shown });
    expect(refusalOf(() => sampler.uniform(0, given))).toMatchObject({ code: 'INVALID_STEP', value: shown });
    expect(refusalOf(() => sampler.uniform(0, 0, given))).toMatchObject({ code: 'INVALID_STREAM', value: shown });
    const error = refusalOf(() => new sampler.Generator(model, [0], { seed: given }));
    expect(error).toMatchObject({ code: 'INVALID_SEED', value: shown });
    expect(error.message).toContain('write it as a bigint or a decimal string');
  });
});

test('a seed of a million digits is refused at once, and zeros before it are none', () => {
  expect(refusalOf(() => sampler.uniform('9'.repeat(1_000_000), 0)).code).toBe('INVALID_SEED');
  expect(sampler.uniform('0'.repeat(1_000_000) + '1', '000')).toBe(sampler.uniform(1, 0));
});
