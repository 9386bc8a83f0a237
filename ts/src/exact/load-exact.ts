import { exactBuild } from '../generated/build-ids.js';
import { instantiate } from '../instantiate.js';
import { compile, type WasmSource } from '../wasm-source.js';
import { Categorical, categoricalOf, create, type CategoricalConstructor, type Weight } from './categorical.js';
import type { Fraction } from './fraction.js';
import { randomStreamsOf, type RandomStreamsConstructor } from './random-streams.js';
import createModule, { type MainModule } from '../../wasm/exact.mjs';

/** Where the oracle's WebAssembly module is. */
export interface LoadExactOptions {
  /** Where `exact.wasm` is, when not beside this package's files. */
  readonly wasm?: WasmSource | undefined;
}

/** The oracle, bound to its loaded WebAssembly module; made by {@link loadExact}. */
export class Exact {
  /** `new exact.Categorical(vocabSize, ids, weights)`: a law of fractions. */
  readonly Categorical: CategoricalConstructor;
  /** `new exact.RandomStreams(seed, owner, round)`: random numbers of one round. */
  readonly RandomStreams: RandomStreamsConstructor;
  readonly #module: MainModule;

  /** @internal */
  constructor(module: MainModule) {
    this.#module = module;
    this.Categorical = categoricalOf(module);
    this.RandomStreams = randomStreamsOf(module);
  }

  /**
   * A law whose weights are rounded to the nearest float32 before they are normalised, as when they are sent in that format.
   *
   * Errors: those of `Categorical`; INVALID_WEIGHT also for a weight beyond float32.
   */
  fp32Weights(vocabSize: number, ids: readonly number[], weights: readonly Weight[]): Categorical {
    return new Categorical(this.#module, create(this.#module, vocabSize, ids, weights, true));
  }

  /** `min(1, p / q)` of a token that was drawn from q. Errors: WRONG_LENGTH, INVALID_TOKEN, DRAFT_WITHOUT_MASS. */
  acceptance(p: Categorical, q: Categorical, token: number): Fraction {
    return p.acceptance(q, token);
  }

  /** `max(0, p - q)`, normalised, over the whole vocabulary. Errors: WRONG_LENGTH; ZERO_TOTAL_WEIGHT when p is q. */
  residual(p: Categorical, q: Categorical): Categorical {
    return p.residual(q);
  }
}

let loaded: Promise<Exact> | undefined;

/**
 * Loads the oracle's WebAssembly module, once: later calls return the same, unless a load fails; then the next tries again.
 *
 * Rejects with a SamplerError LOAD_FAILED that names the address, the fault and the remedy.
 */
export async function loadExact(options: LoadExactOptions = {}): Promise<Exact> {
  loaded ??= load(options.wasm ?? new URL('../../wasm/exact.wasm', import.meta.url)).catch((error: unknown) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

async function load(wasm: WasmSource): Promise<Exact> {
  const { module } = await instantiate(createModule, await compile(wasm, exactBuild));
  return new Exact(module);
}
