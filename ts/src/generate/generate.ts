import { certainRow } from '../certain-row.js';
import { describe, SamplerError } from '../errors.js';
import { toNumbers } from '../numbers.js';
import type { Sampler } from '../sampler.js';
import { toUint64, type Seed } from '../seed.js';
import { checkNames } from '../settings.js';
import { torchDraw } from './torch-draw.js';

/** A model: all tokens so far in, one logit for each token of the vocabulary out, at once or as a promise. */
export type LogitsFunction = (tokens: number[]) => LogitsList | Promise<LogitsList>;

type LogitsList = Float32Array | Float64Array | readonly number[];

/** How {@link generate} draws, and when it ends. */
export interface GenerateOptions {
  /** Whole, at least 0: at most so many tokens are drawn. With 0 the function is not called. */
  readonly maxTokens: number;
  /** The token that ends the text when it is drawn; it is kept. One in the prompt ends nothing. */
  readonly eosId?: number | readonly number[] | undefined;
  /** Finite; more than 0 for PyTorch's draw. Default 1. */
  readonly temperature?: number | undefined;
  /** In [0, 1]; more than 0 for PyTorch's draw. 1, the default, keeps all tokens. */
  readonly topP?: number | undefined;
  /** From 0 to 2^64 - 1. */
  readonly seed: Seed;
  /**
   * `quillmate`, the default: the tokens of a `Generator` with these settings. `torch`: those that PyTorch's
   * `multinomial` draws on a CPU, with a generator of its own for each token, whose seed is `seed` and the number of
   * tokens drawn before.
   */
  readonly draw?: 'quillmate' | 'torch' | undefined;
}

/**
 * Draws tokens one by one until `eosId` was drawn or there are `maxTokens` of them.
 *
 *     const text = await generate(sampler, logitsOf, [5], { maxTokens: 20, eosId: 0, topP: 0.9, seed: 1 });
 *
 * @param prompt whole numbers from 0 to 2^31 - 1; may be empty; is not changed
 * @returns the prompt and all drawn tokens
 *
 * Rejects with what the function threw, or with a SamplerError: INVALID_RUN for `maxTokens`, `eosId`, `draw` and what
 * PyTorch's draw cannot take; UNKNOWN_SETTING; those of `new sampler.Generator` and of its steps.
 */
export async function generate(
  sampler: Sampler,
  logitsFunction: LogitsFunction,
  prompt: readonly number[] | Int32Array | BigInt64Array,
  options: GenerateOptions,
): Promise<number[]> {
  const { maxTokens, eosId, temperature = 1, topP = 1, seed, draw } = checked(options);
  const first = toUint64(seed, 'INVALID_SEED');
  const tokens = prompt instanceof BigInt64Array ? Array.from(prompt, Number) : prompt;
  const torch = async (text: readonly number[]): Promise<Float32Array> => {
    const row = toFloat32(await logitsFunction([...text]));
    const step = BigInt(text.length - tokens.length);
    return certainRow(torchDraw(sampler, row, { temperature, topP }, first + step), row.length);
  };
  const model = draw === 'torch' ? torch : (text: readonly number[]) => logitsFunction([...text]);
  const generator = new sampler.Generator(model, tokens, { seed: first, temperature, topP });
  try {
    await generator.run({ maxTokens, eosId });
    return generator.tokens;
  } finally {
    generator.dispose();
  }
}

const names = ['maxTokens', 'eosId', 'temperature', 'topP', 'seed', 'draw'];

function checked(options: GenerateOptions): GenerateOptions {
  const refusal = (value: string, detail: string) => new SamplerError('INVALID_RUN', { value, detail });
  const given: unknown = options;
  if (typeof given !== 'object' || given === null) {
    throw refusal(`the options ${describe(given)}`, 'pass an object with maxTokens and seed');
  }
  checkNames(given, names, []);
  const { maxTokens, temperature = 1, topP = 1, draw = 'quillmate' } = options;
  // A run without one would go on for ever.
  if (!Number.isInteger(maxTokens)) {
    throw refusal(`maxTokens ${describe(maxTokens)}`, 'use a whole number of 0 or more');
  }
  if (draw === 'torch') {
    if (Math.fround(temperature) === 0) {
      throw refusal(`temperature ${describe(temperature)} with draw 'torch'`, 'use more, or topP near 0');
    }
    if (topP === 0) throw refusal(`topP 0 with draw 'torch'`, 'use more than 0');
  } else if ((draw as unknown) !== 'quillmate') {
    throw refusal(`draw ${describe(draw)}`, "use 'quillmate' or 'torch'");
  }
  return options;
}

function toFloat32(logits: unknown): Float32Array {
  const refusal = (value: string, index?: number) => new SamplerError('INVALID_LOGITS', { value, index });
  const numbers = toNumbers(logits, (value, index) => refusal(`an array with ${value} at ${index}`, index));
  if (!numbers || numbers instanceof Int32Array) throw refusal(describe(logits));
  return new Float32Array(numbers);
}
