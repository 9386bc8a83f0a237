import { describe, SamplerError } from '../errors.js';
import { loneSurrogate } from '../lone-surrogate.js';
import { toUint64, type Seed } from '../seed.js';
import { toOptions } from '../settings.js';
import type { MainModule } from '../../wasm/exact.mjs';

/** Whose draws they are. */
export interface Owner {
  /** A text that is not empty. */
  readonly requestId: string;
  /** From 0 to 2^64 - 1. */
  readonly generation: Seed;
}

/**
 * What `exact.RandomStreams` is.
 *
 * @param seed from 0 to 2^64 - 1
 * @param round from 0 to 2^64 - 1
 *
 * Errors: INVALID_SEED, INVALID_OWNER.
 */
export type RandomStreamsConstructor = new (seed: Seed, owner: Owner, round: Seed) => RandomStreams;

/** The random numbers of one key and one purpose, addressed by position: nothing is consumed. */
export class RandomStream {
  /** The key of Philox4x32-10. */
  readonly key: bigint;
  /** 1 proposes, 2 accepts, 3 corrects, as the streams of `sampler.uniform`. */
  readonly purpose: number;
  readonly #module: MainModule;

  /** @internal */
  constructor(module: MainModule, key: bigint, purpose: number) {
    this.#module = module;
    this.key = key;
    this.purpose = purpose;
  }

  /** A number in [0, 1), the one of `sampler.uniform(key, position, purpose)`. Errors: INVALID_STEP. */
  uniform(position: number): number {
    return this.#module.uniform(this.key, this.purpose, checkPosition(position));
  }

  /** A whole number from 0 to `bound - 1`, each exactly as likely. Errors: INVALID_STEP; INVALID_WEIGHT for the bound. */
  below(bound: bigint, position: number): bigint {
    if (typeof bound !== 'bigint' || bound < 1n) {
      throw new SamplerError('INVALID_WEIGHT', { index: 0, value: describe(bound), detail: 'the bound' });
    }
    return BigInt(this.#module.below(String(bound), this.key, this.purpose, checkPosition(position)));
  }
}

/**
 * The streams of one round of an owner, a pure function of the seed, the owner and the round. Made by
 * `new exact.RandomStreams(...)`.
 */
export class RandomStreams {
  readonly owner: Readonly<{ requestId: string; generation: bigint }>;
  readonly round: bigint;
  /** What the seed, the owner and the round come to. */
  readonly key: bigint;
  readonly proposal: RandomStream;
  readonly acceptance: RandomStream;
  readonly correction: RandomStream;

  /** @internal */
  constructor(module: MainModule, seed: Seed, owner: Owner, round: Seed) {
    this.owner = toOwner(owner);
    const number = toUint64(seed, 'INVALID_SEED');
    this.round = toUint64(round, 'INVALID_OWNER', 'round');
    const { requestId, generation } = this.owner;
    this.key = BigInt.asUintN(64, module.streamsKey(number, requestId, generation, this.round));
    this.proposal = new RandomStream(module, this.key, 1);
    this.acceptance = new RandomStream(module, this.key, 2);
    this.correction = new RandomStream(module, this.key, 3);
  }
}

const ownerKind = {
  code: 'INVALID_OWNER',
  what: 'the owner is',
  example: "{ requestId: 'a', generation: 0 }",
} as const;

/** @internal A copy. */
export function toOwner(given: unknown): RandomStreams['owner'] {
  const { requestId, generation } = toOptions<Owner>(given as Owner, ownerKind);
  if (typeof requestId !== 'string' || requestId === '') {
    throw new SamplerError('INVALID_OWNER', { value: describe(requestId), detail: 'request id' });
  }
  // It has no UTF-8, which the key is made of.
  if (loneSurrogate(requestId) >= 0) {
    throw new SamplerError('INVALID_OWNER', {
      value: describe(requestId),
      detail: 'request id, with half a character,',
    });
  }
  return Object.freeze({ requestId, generation: toUint64(generation, 'INVALID_OWNER', 'generation') });
}

/** @internal */
export function randomStreamsOf(module: MainModule): RandomStreamsConstructor {
  return class BoundRandomStreams extends RandomStreams {
    constructor(seed: Seed, owner: Owner, round: Seed) {
      super(module, seed, owner, round);
    }
  };
}

/** @internal */
export function checkPosition(position: unknown): number {
  if (typeof position === 'number' && position === position >>> 0) return position;
  throw new SamplerError('INVALID_STEP', { value: describe(position) });
}
