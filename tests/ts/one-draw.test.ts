// A loop around sampleToken that draws its own random numbers, as people write it first: one number a token and no more.
import { loadSampler, type LogitsInput, type Settings } from 'quillmate-sampler';
import { describe, expect, test, vi } from 'vitest';
import { toyModel } from './fixtures.js';

const sampler = await loadSampler();
const justBelow1 = 1 - 2 ** -53;
const model = toyModel(20, '5');

/** Draws tokens with the numbers of a source. */
function loop(next: () => number, count: number, settings: Settings = {}): number[] {
  const tokens = [1];
  for (let i = 0; i < count; ++i) {
    tokens.push(sampler.sampleToken(model(tokens), { ...settings, u: next() }));
  }
  return tokens;
}

/** The numbers that a generator with this seed draws with. */
function numbersOf(seed: number): () => number {
  let step = 0;
  return () => sampler.uniform(seed, step++);
}

describe('one random number a token', () => {
  test.each([{}, { temperature: 0 }, { topK: 3 }, { topP: 0.7 }, { topK: 1 }, { temperature: 0.1, topP: 0 }])(
    'with %j: the n-th token takes the n-th number, and is a generator’s with the same seed',
    async (settings) => {
      const next = vi.fn(numbersOf(9));
      const tokens = loop(next, 25, settings);
      expect(next).toHaveBeenCalledTimes(25);
      const generator = new sampler.Generator(model, [1], { ...settings, seed: 9 });
      await generator.run({ maxTokens: 25 });
      expect(generator.tokens).toEqual(tokens);
    },
  );

  test('so that a token can be drawn again without those before it', () => {
    const tokens = loop(numbersOf(9), 25);
    for (const place of [0, 7, 24]) {
      const u = sampler.uniform(9, place);
      expect(sampler.sampleToken(model(tokens.slice(0, place + 1)), { u })).toBe(tokens[place + 1]);
    }
  });

  test('and two runs with one seed are one text, another seed another', () => {
    expect(loop(numbersOf(9), 25)).toEqual(loop(numbersOf(9), 25));
    expect(loop(numbersOf(9), 25)).not.toEqual(loop(numbersOf(10), 25));
  });
});

describe('the draw', () => {
  test('is the first token, in the order of the vocabulary, whose running share exceeds the number', () => {
    const quarters = [0, 0, 0, 0];
    const drawn = [0, 0.2499, 0.25, 0.4999, 0.5, 0.75, justBelow1].map((u) => sampler.sampleToken(quarters, { u }));
    expect(drawn).toEqual([0, 0, 1, 1, 2, 3, 3]);
  });

  test.each([
    [[5, 3, 9, 9, 3], 2, [2, 3]],
    [[5, 5, 5, 5], 2, [0, 1]],
    [[1, 7, 7, 7, 0], 2, [1, 2]],
    [[0, -0, 0], 1, [0]],
  ])('of %j with top-k %d is one of %j: of equal logits the lower ids stay', (logits, topK, ids) => {
    const us = Array.from({ length: 200 }, (_, i) => i / 200);
    const drawn = new Set([...us, justBelow1].map((u) => sampler.sampleToken(logits, { topK, u })));
    expect([...drawn].sort()).toEqual(ids);
  });

  test('with a number as close to 1 as there is, is the last token that is kept, never one that is not', () => {
    // Shares that binary fractions cannot add up to 1.
    for (const size of [3, 7, 10, 49, 1000]) {
      const logits = Float64Array.from({ length: size + 4 }, (_, i) => (i < 2 || i >= size + 2 ? -Infinity : 0.1));
      expect(sampler.sampleToken(logits, { u: justBelow1 })).toBe(size + 1);
      expect(sampler.sampleToken(logits, { u: justBelow1, topK: size - 1 })).toBe(size);
      expect(sampler.sampleToken(logits, { u: 0 })).toBe(2);
    }
    for (let seed = 0; seed < 200; ++seed) {
      const logits = Float32Array.from({ length: 60 }, (_, i) => sampler.uniform(seed, i) * 12);
      for (const settings of [{ topK: 5 }, { topP: 0.8 }, { topK: 9, topP: 0.9 }]) {
        expect(sampler.sampleToken(logits, { ...settings, u: justBelow1 })).toBe(
          sampler.distribution(logits, settings).ids.at(-1),
        );
      }
    }
  });

  test('with top-k 1 is the greedy one, whatever the number', () => {
    for (let seed = 0; seed < 100; ++seed) {
      const logits = Float32Array.from({ length: 30 }, (_, i) => Math.floor(sampler.uniform(seed, i) * 8));
      const greedy = sampler.sampleToken(logits, { temperature: 0, u: 0 });
      expect(greedy).toBe(logits.indexOf(Math.max(...logits)));
      for (const u of [0, 0.5, justBelow1]) expect(sampler.sampleToken(logits, { topK: 1, u })).toBe(greedy);
    }
  });

  test('scales before it cuts: a nucleus is one of the scaled shares', () => {
    const logits = [3, 2, 1, 0];
    const kept = (temperature: number) => sampler.distribution(logits, { temperature, topP: 0.8 }).ids.length;
    expect([0.25, 1, 4].map(kept)).toEqual([1, 2, 3]);
  });

  test('leaves the row as it was', () => {
    const row = [2, -Infinity, 0.5, 2];
    const rows: LogitsInput[] = [Object.freeze([...row]), Float32Array.from(row), Float64Array.from(row)];
    for (const logits of rows) {
      for (const settings of [
        {},
        { topK: 1 },
        { topP: 0.1 },
        { temperature: 0 },
        { temperature: 9, topK: 2, topP: 0.5 },
      ]) {
        sampler.sampleToken(logits, { ...settings, u: 0.9 });
        sampler.distribution(logits, settings);
      }
      expect(Array.from(logits as ArrayLike<number>)).toEqual(row);
    }
  });
});
