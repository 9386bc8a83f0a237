import { describe, SamplerError, type ErrorCode } from '../errors.js';
import { Owned } from '../owned.js';
import { refusal } from '../refusal.js';
import { Fraction } from './fraction.js';
import { checkPosition, type RandomStream } from './random-streams.js';
import type { Categorical as Handle, MainModule } from '../../wasm/exact.mjs';

/**
 * A number of 0 or more, read exactly: a `number` is the double that it is (0.1 is not 1/10), text is a decimal number or
 * a fraction of whole numbers (`"0.1"`, `"1e-3"`, `"2/7"`).
 */
export type Weight = number | bigint | string | Fraction;

/** What `exact.Categorical` is. */
export interface CategoricalConstructor {
  /**
   * The law of these ids with these weights, normalised; tokens that are not listed have no mass.
   *
   * Errors: WRONG_LENGTH (also for a vocabulary of no whole number from 1), INVALID_TOKEN, DUPLICATE_TOKEN, INVALID_WEIGHT,
   * ZERO_TOTAL_WEIGHT.
   */
  new (vocabSize: number, ids: readonly number[], weights: readonly Weight[]): Categorical;
  /** A weight for each token of the vocabulary. Errors: INVALID_WEIGHT, ZERO_TOTAL_WEIGHT (also without weights). */
  dense(weights: readonly Weight[]): Categorical;
}

/**
 * A law over a finite vocabulary in which probabilities are fractions. Made by `new exact.Categorical(...)` or
 * `exact.Categorical.dense(...)`; dispose it when it is no longer needed (the garbage collector does so in the end). From then
 * on its methods throw a SamplerError LAW_DISPOSED.
 */
export class Categorical implements Disposable {
  /** The number of tokens of the vocabulary. */
  readonly vocabSize: number;
  /** The listed ids, ascending. */
  readonly ids: readonly number[];
  /** The least whole numbers that the probabilities of the listed ids are as. */
  readonly tickets: readonly bigint[];
  readonly #module: MainModule;
  readonly #handle: Owned<Handle>;

  /** @internal */
  constructor(module: MainModule, handle: Handle | null) {
    if (!handle) throw refusal(module);
    this.#module = module;
    this.#handle = new Owned(handle);
    this.vocabSize = handle.vocabSize();
    this.ids = Object.freeze(handle.ids());
    this.tickets = Object.freeze(handle.tickets().map(BigInt));
  }

  /** The probability of a token. Errors: INVALID_TOKEN. */
  prob(token: number): Fraction {
    return this.#fraction(this.handle.prob(toToken(token)));
  }

  /**
   * Draws a token with the stream's numbers at a position, tickets by rejection: nothing is rounded, and the same stream
   * and position give the same token.
   *
   * Errors: INVALID_STEP (the position is no whole number from 0 to 2^32 - 1).
   */
  sample(stream: RandomStream, position: number): number {
    return this.handle.sample(stream.key, stream.purpose, checkPosition(position));
  }

  /** The law without the tokens whose flag is false. Errors: WRONG_LENGTH (one flag a token), ZERO_TOTAL_WEIGHT. */
  masked(allowed: readonly boolean[]): Categorical {
    const list: readonly unknown[] = Array.isArray(allowed) ? allowed : [];
    if (!list.every((flag) => typeof flag === 'boolean')) {
      const detail = 'the mask is no list of booleans';
      throw new SamplerError('WRONG_LENGTH', { detail, message: `${detail}; pass one for each token` });
    }
    return new Categorical(this.#module, this.handle.masked(list.map(Number)));
  }

  /** The k most likely of the listed tokens, of equals the lower id. Errors: INVALID_SUPPORT_SIZE. */
  sparseTopk(k: number): Categorical {
    if (!Number.isInteger(k) || k < 1 || k > this.vocabSize) {
      throw new SamplerError('INVALID_SUPPORT_SIZE', { value: describe(k), detail: String(this.vocabSize) });
    }
    return new Categorical(this.#module, this.handle.sparseTopk(k));
  }

  /** @internal `min(1, p / q)`, this law being p. */
  acceptance(q: Categorical, token: number): Fraction {
    return this.#fraction(this.#module.acceptance(this.handle, q.handle, toToken(token)));
  }

  /** @internal `max(0, p - q)`, this law being p. */
  residual(q: Categorical): Categorical {
    return new Categorical(this.#module, this.#module.Categorical.residual(this.handle, q.handle));
  }

  /** Frees the law; may be called again. */
  dispose(): void {
    this.#handle.free();
  }

  /** As {@link dispose}, for `using`. */
  [Symbol.dispose](): void {
    this.dispose();
  }

  /** @internal Itself. Throws LAW_DISPOSED. */
  usable(): this {
    if (!this.#handle.object) throw disposed();
    return this;
  }

  /** @internal Throws LAW_DISPOSED. */
  get handle(): Handle {
    const { object } = this.#handle;
    if (!object) throw disposed();
    return object;
  }

  #fraction(text: string): Fraction {
    if (text === '') throw refusal(this.#module);
    return new Fraction(text);
  }
}

/** @internal The class that makes laws in this module's memory. */
export function categoricalOf(module: MainModule): CategoricalConstructor {
  return class BoundCategorical extends Categorical {
    constructor(vocabSize: number, ids: readonly number[], weights: readonly Weight[]) {
      super(module, create(module, vocabSize, ids, weights, false));
    }

    static dense(weights: readonly Weight[]): Categorical {
      const texts = toTexts(weights);
      const ids = texts.map((_, id) => id);
      return new Categorical(module, module.Categorical.create(texts.length, ids, texts, false));
    }
  };
}

/** @internal */
export function create(
  module: MainModule,
  vocabSize: unknown,
  ids: unknown,
  weights: unknown,
  asFp32: boolean,
): Handle | null {
  if (!isTokenCount(vocabSize)) {
    const detail = `a vocabulary cannot have ${describe(vocabSize)} tokens`;
    throw new SamplerError('WRONG_LENGTH', { detail, message: `${detail}; use a whole number from 1` });
  }
  if (!Array.isArray(ids))
    throw new SamplerError('INVALID_TOKEN', { index: 0, value: describe(ids), detail: 'the law' });
  const tokens = ids.map((id, index) => toToken(id, index));
  return module.Categorical.create(vocabSize, tokens, toTexts(weights), asFp32);
}

const disposed = () => new SamplerError('LAW_DISPOSED');

const isTokenCount = (size: unknown): size is number =>
  typeof size === 'number' && Number.isInteger(size) && size >= 1 && size < 0x8000_0000;

// What cannot be an id of any vocabulary is refused before it is cut to 32 bits.
function toToken(given: unknown, index = 0): number {
  if (typeof given !== 'number' || given !== (given | 0)) {
    throw new SamplerError('INVALID_TOKEN', { index, value: describe(given), detail: 'the law' });
  }
  return given;
}

function toTexts(weights: unknown): string[] {
  if (!Array.isArray(weights)) throw badWeight(0, weights);
  return weights.map((weight: unknown, index) => {
    if (weight instanceof Fraction || typeof weight === 'bigint') return String(weight);
    if (typeof weight === 'string') return weight;
    // A double's own digits do not tell its value in full; the two whole numbers that it is the quotient of do.
    if (typeof weight === 'number' && Number.isFinite(weight)) return quotient(weight);
    throw badWeight(index, weight);
  });
}

function badWeight(index: number, weight: unknown): SamplerError {
  const code: ErrorCode = 'INVALID_WEIGHT';
  return new SamplerError(code, { index, value: describe(weight), detail: 'the law' });
}

function quotient(weight: number): string {
  let numerator = weight;
  let denominator = 1n;
  // Doubling is exact while it does not overflow, and a double with a fractional part is below 2^53.
  for (; !Number.isInteger(numerator); denominator *= 2n) numerator *= 2;
  return `${BigInt(numerator)}/${denominator}`;
}
