import { loadSampler } from 'quillmate-sampler';
import { generate, type GenerateOptions } from 'quillmate-sampler/generate';
import { describe, expect, test, vi } from 'vitest';
import { MersenneTwister } from '../../ts/dist/generate/mersenne-twister.js';
import torchText from '../fixtures/torch.json?raw';
import { numbers, parse, toyModel, type RowItem } from './fixtures.js';
import { rejectionOf, wrong } from './refusal.js';

const sampler = await loadSampler();
const draws = ['quillmate', 'torch'] as const;

interface Torch {
  temperatures: number[];
  topPs: number[];
  cases: { name: string; logits: RowItem[]; temperature: number; topP: number; seed: string; tokens: number[] }[];
  /** `close`: a row, and the token that a rounding may put in the place of the drawn one. */
  ordinary: { vocabSize: number; tokens: number[]; close: [number, number][] }[];
}
const torch = parse<Torch>(torchText);

/** An ordinary row of torch.json. */
function ordinaryRow(row: number, vocabSize: number): Float32Array {
  const logits = new Float32Array(vocabSize);
  for (let token = 0; token < vocabSize; ++token) {
    let h = (Math.imul(row, 0x9e3779b9) + token) >>> 0;
    h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    logits[token] = ((h ^ (h >>> 16)) >>> 8) * 2 ** -20 - 8;
  }
  return logits;
}

test("the words of MT19937 are those of the C++ standard's generator", () => {
  const twister = new MersenneTwister(5489);
  const words = Array.from({ length: 10_000 }, () => twister.next());
  expect(words.slice(0, 5)).toEqual([3499211612, 581869302, 3890346734, 3586334585, 545404204]);
  expect(words.at(-1)).toBe(4123659995);
});

describe("PyTorch's draw", () => {
  test.each(torch.cases)('$name, temperature $temperature, top-p $topP, seed $seed', async (given) => {
    const { temperature, topP, seed, tokens } = given;
    const row = Float32Array.from(numbers(given.logits));
    const options = { maxTokens: tokens.length, temperature, topP, seed, draw: 'torch' } as const;
    expect(await generate(sampler, () => row, [], options)).toEqual(tokens);
  });

  test.each(torch.ordinary)('of ordinary rows of $vocabSize', async ({ vocabSize, tokens, close }) => {
    const other: [number, number][] = [];
    for (const [index, expected] of tokens.entries()) {
      const row = ordinaryRow(index, vocabSize);
      const [token = -1] = await generate(sampler, () => row, [], {
        maxTokens: 1,
        temperature: torch.temperatures[index % 4],
        topP: torch.topPs[index % 3],
        seed: BigInt.asUintN(63, BigInt(index) * 0x9e3779b97f4a7c15n),
        draw: 'torch',
      });
      if (token !== expected) other.push([index, token]);
    }
    for (const pair of other) expect(close).toContainEqual(pair);
    expect(other.length).toBeLessThanOrEqual(tokens.length / 10_000);
  });

  test('takes the seed and the number of tokens drawn before, from a generator of its own each time', async () => {
    const row = new Float32Array(50);
    const options = { temperature: 1, draw: 'torch' } as const;
    const text = await generate(sampler, () => row, [], { ...options, maxTokens: 5, seed: 7 });
    for (const [step, token] of text.entries()) {
      expect(await generate(sampler, () => row, [9], { ...options, maxTokens: 1, seed: 7 + step })).toEqual([9, token]);
    }
  });

  test.each([
    [{ temperature: 0 }, 'INVALID_RUN', "temperature 0 with draw 'torch'"],
    [{ temperature: 1e-60 }, 'INVALID_RUN', "temperature 1e-60 with draw 'torch'"],
    [{ topP: 0 }, 'INVALID_RUN', "topP 0 with draw 'torch'"],
    [{ temperature: NaN }, 'INVALID_TEMPERATURE', 'NaN'],
  ])('refuses %j', async (options, code, value) => {
    const given = { maxTokens: 1, seed: 1, draw: 'torch', ...options } as const;
    expect(await rejectionOf(generate(sampler, () => [1, 2], [0], given))).toMatchObject({ code, value });
  });

  test.each([
    [[1, NaN], 'NAN_LOGIT', 1],
    [[Infinity, 1], 'INFINITE_LOGIT', 0],
    [[-Infinity, -Infinity], 'ALL_BANNED', undefined],
    [[], 'EMPTY_ROW', undefined],
    [[1, '2'], 'INVALID_LOGITS', 1],
    [undefined, 'INVALID_LOGITS', undefined],
  ])('refuses the row %j', async (row, code, index) => {
    const given = { maxTokens: 1, seed: 1, draw: 'torch' } as const;
    expect(await rejectionOf(generate(sampler, () => wrong(row), [0], given))).toMatchObject({ code, index });
  });

  test('never draws a banned token', async () => {
    const row = Float32Array.from({ length: 40 }, (_, i) => (i % 5 === 0 ? 0 : -Infinity));
    const text = await generate(sampler, () => row, [], { maxTokens: 200, seed: 3, draw: 'torch' });
    expect(text.every((token) => token % 5 === 0)).toBe(true);
    expect(new Set(text).size).toBe(8);
  });
});

test("the default draw is a generator's", async () => {
  const model = toyModel(50, '3');
  const settings = { seed: 11, temperature: 0.8, topP: 0.9 };
  const generator = new sampler.Generator(model, [4, 5], settings);
  await generator.run({ maxTokens: 20 });
  expect(await generate(sampler, model, [4, 5], { ...settings, maxTokens: 20 })).toEqual(generator.tokens);
});

describe.each(draws)('the loop, with the draw %s', (draw) => {
  /** Favours token 7 until the text has three tokens, then token 0. */
  const peaked = (tokens: readonly number[]) =>
    Float32Array.from({ length: 9 }, (_, i) => (i === (tokens.length < 3 ? 7 : 0) ? 50 : 0));
  const options: GenerateOptions = { maxTokens: 10, eosId: 0, seed: 1, draw };

  test('keeps the prompt and the token that ends the text', async () => {
    expect(await generate(sampler, peaked, [5], options)).toEqual([5, 7, 7, 0]);
  });

  test('is not ended by such a token in the prompt', async () => {
    expect(await generate(sampler, peaked, [0], options)).toEqual([0, 7, 7, 0]);
  });

  test('is not ended at all without one, and then has all tokens', async () => {
    expect(await generate(sampler, peaked, [5], { ...options, eosId: undefined })).toHaveLength(11);
  });

  test('takes 64-bit integers and leaves the prompt as it was', async () => {
    const prompt = BigInt64Array.of(5n);
    expect(await generate(sampler, peaked, prompt, options)).toEqual([5, 7, 7, 0]);
    expect(await generate(sampler, peaked, Int32Array.of(5), options)).toEqual([5, 7, 7, 0]);
    expect(prompt).toEqual(BigInt64Array.of(5n));
  });

  test('calls nothing for no token', async () => {
    const function_ = vi.fn(peaked);
    expect(await generate(sampler, function_, [5, 0], { ...options, maxTokens: 0 })).toEqual([5, 0]);
    expect(await generate(sampler, function_, [], { ...options, maxTokens: 0 })).toEqual([]);
    expect(function_).not.toHaveBeenCalled();
  });

  test('calls once for each token, with the text so far, which is the function’s to keep', async () => {
    const given: number[][] = [];
    const function_ = async (tokens: number[]) => {
      given.push(tokens);
      await Promise.resolve();
      return peaked(tokens);
    };
    await generate(sampler, function_, [5], options);
    expect(given).toEqual([[5], [5, 7], [5, 7, 7]]);
  });

  test('rejects with what the function throws', async () => {
    const function_ = () => {
      throw new RangeError('mine');
    };
    await expect(generate(sampler, function_, [5], options)).rejects.toThrow('mine');
  });

  test.each([
    [undefined, 'INVALID_RUN'],
    [{ maxTokens: undefined }, 'INVALID_RUN'],
    [{ maxTokens: -1 }, 'INVALID_RUN'],
    [{ maxTokens: 1.5 }, 'INVALID_RUN'],
    [{ maxTokens: Infinity }, 'INVALID_RUN'],
    [{ eosId: 'x' }, 'INVALID_RUN'],
    [{ draw: 'gumbel' }, 'INVALID_RUN'],
    [{ seed: -1 }, 'INVALID_SEED'],
    [{ seed: undefined }, 'INVALID_SEED'],
    [{ temperature: -1 }, 'INVALID_TEMPERATURE'],
    [{ topP: 1.5 }, 'INVALID_TOP_P'],
    [{ top_p: 0.5 }, 'UNKNOWN_SETTING'],
  ])('refuses %j before it calls anything', async (change, code) => {
    const function_ = vi.fn(peaked);
    const given = change && { ...options, ...change };
    const refusal = await rejectionOf(generate(sampler, function_, [5], wrong(given)));
    expect(refusal.code).toBe(code);
    expect(function_).not.toHaveBeenCalled();
  });

  test('refuses a prompt that is none', async () => {
    for (const prompt of [[-1], [1.5], BigInt64Array.of(-1n), 'x']) {
      expect((await rejectionOf(generate(sampler, peaked, wrong(prompt), options))).code).toBe('INVALID_TOKEN');
    }
  });
});
