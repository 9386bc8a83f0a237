import type { Core } from './core.js';
import { describe, SamplerError } from './errors.js';
import type { GeneratorState } from './generator-state.js';
import type { Model } from './model.js';
import { Owned } from './owned.js';
import { freshSeed, toUint64, type Seed } from './seed.js';
import { checkNames, readSettings, toOptions, type FullSettings, type Settings } from './settings.js';
import type { Generator as Handle } from '../wasm/quillmate.mjs';

/** Settings of a generator and the seed of its random numbers. */
export interface GeneratorOptions extends Settings {
  /** From 0 to 2^64 - 1. Left out, a fresh one is drawn; {@link Generator.seed} tells it. */
  readonly seed?: Seed | undefined;
}

/**
 * A resumable stream of tokens: the next one depends on the model's logits, the seed, the settings and the number of
 * tokens drawn so far, and on nothing else. Made by `new sampler.Generator(...)` or `sampler.Generator.fromState(...)`;
 * dispose it when it is no longer needed (the garbage collector does so in the end).
 */
export class Generator implements Disposable {
  readonly #core: Core;
  readonly #model: Model;
  readonly #handle: Owned<Handle>;
  readonly #tokens: number[];
  readonly #promptLength: number;
  readonly #seed: string;
  readonly #settings: FullSettings;
  #busy = false;

  /** @internal */
  constructor(core: Core, model: Model, handle: Handle) {
    const { tokens, promptLength, seed, settings } = parse(handle);
    this.#core = core;
    this.#model = model;
    this.#handle = new Owned(handle);
    this.#tokens = tokens;
    this.#promptLength = promptLength;
    this.#seed = seed;
    this.#settings = Object.freeze(settings);
  }

  /** Decimal text: the seed that was given, or the fresh one. The same seed makes the same text. */
  get seed(): string {
    return this.#seed;
  }

  get settings(): FullSettings {
    return this.#settings;
  }

  /** A copy of the prompt and all tokens drawn so far. */
  get tokens(): number[] {
    return [...this.#tokens];
  }

  /**
   * Asks the model for the next row and draws the next token.
   *
   * Rejects, leaving the generator as it was, with what the model threw, or with a {@link SamplerError}: GENERATOR_BUSY
   * while another step is under way, GENERATOR_DISPOSED (also when disposed meanwhile), INVALID_LOGITS, EMPTY_ROW,
   * NAN_LOGIT, INFINITE_LOGIT, ALL_BANNED, WRONG_LENGTH when the row's length differs from earlier ones,
   * INVALID_TOKEN when the row has no place for a token of the text.
   */
  async step(): Promise<number> {
    this.#alive();
    if (this.#busy) throw new SamplerError('GENERATOR_BUSY', { detail: 'step() again' });
    this.#busy = true;
    try {
      const model = this.#model; // called as a function: the generator is not its `this`
      const answer = model(this.tokens, { promptLength: this.#promptLength });
      // A row that is there is used before anyone else can run: a model may fill one array for all its callers.
      const logits = isPromise(answer) ? await answer : answer;
      this.#alive();
      const { address, size, dtype } = this.#core.place(logits);
      const handle = this.#alive(); // an element's getter may have disposed it
      const token = this.#core.check(handle.step(address, size, dtype));
      this.#tokens.push(token);
      return token;
    } finally {
      this.#busy = false;
    }
  }

  /** All that is needed to go on later or elsewhere. During a step: the state before it. */
  state(): GeneratorState {
    return parse(this.#alive());
  }

  /** Frees the generator's memory; may be called again, and during a step, which then rejects. */
  dispose(): void {
    this.#handle.free();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** @internal Unlike instanceof, not deceived by what only inherits from one. */
  static is(given: unknown): given is Generator {
    return typeof given === 'object' && given !== null && #handle in given;
  }

  #alive(): Handle {
    const handle = this.#handle.object;
    if (!handle) throw new SamplerError('GENERATOR_DISPOSED');
    return handle;
  }
}

function parse(handle: Handle): GeneratorState {
  return JSON.parse(handle.state()) as GeneratorState;
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as Partial<Promise<T>> | undefined)?.then === 'function';
}

/** What `sampler.Generator` is. */
export interface GeneratorConstructor {
  /**
   * @param prompt the tokens that the text starts with, whole numbers from 0 to 2^31 - 1; may be empty
   *
   * Throws a {@link SamplerError}: INVALID_MODEL, INVALID_TOKEN (with the index), INVALID_SEED, INVALID_TEMPERATURE,
   * INVALID_TOP_K, INVALID_TOP_P, UNKNOWN_SETTING.
   */
  new (model: Model, prompt: readonly number[] | Int32Array, options?: GeneratorOptions): Generator;

  /**
   * Goes on where {@link Generator.state} was called.
   *
   * @param state the object that it returned, or its JSON text
   *
   * Throws a {@link SamplerError}: INVALID_MODEL, STATE_NOT_JSON, STATE_FOREIGN_FORMAT, STATE_UNKNOWN_VERSION,
   * STATE_INCONSISTENT.
   */
  fromState(model: Model, state: GeneratorState | string): Generator;
}

/** @internal The class that makes generators with this module. */
export function generatorOf(core: Core): GeneratorConstructor {
  return class BoundGenerator extends Generator {
    constructor(model: Model, prompt: readonly number[] | Int32Array, options: GeneratorOptions = {}) {
      super(core, checkModel(model), create(core, model, prompt, options));
    }

    static fromState(model: Model, state: GeneratorState | string): Generator {
      const checked = checkModel(model);
      const handle = core.module.Generator.fromState(typeof state === 'string' ? checkText(state) : toJson(state));
      if (!handle) throw core.failure();
      return Reflect.construct(Generator, [core, checked, handle], BoundGenerator);
    }
  };
}

function create(core: Core, model: Model, prompt: unknown, options: GeneratorOptions): Handle {
  // The prompt comes last: all that runs the caller's code is done before its place is taken.
  const given = toOptions(options);
  checkNames(given);
  const { temperature, topK, topP } = readSettings(given);
  const { seed: chosen } = given;
  const seed = chosen === undefined ? freshSeed() : toUint64(chosen, 'INVALID_SEED');
  const identity = identityOf(model);
  const { address, size } = placePrompt(core, prompt);
  const handle = core.module.Generator.create(address, size, seed, temperature, topK, topP, identity);
  if (!handle) throw core.failure();
  return handle;
}

function placePrompt(core: Core, prompt: unknown): { address: number; size: number } {
  const refusal = (value: string, index: number) =>
    new SamplerError('INVALID_TOKEN', { index, value, detail: 'the prompt' });
  const tokens = core.numbers(prompt, refusal);
  if (!tokens) throw refusal(describe(prompt), 0);
  const size = tokens.length;
  const address = core.scratch(size * Float64Array.BYTES_PER_ELEMENT);
  new Float64Array(core.memory, address, size).set(tokens);
  return { address, size };
}

function checkModel(model: unknown): Model {
  if (typeof model !== 'function') throw new SamplerError('INVALID_MODEL', { value: describe(model) });
  return model as Model;
}

/** Names and values in turn, as the core takes them. */
function identityOf({ identity }: { readonly identity?: unknown }): string[] {
  if (identity === undefined) return [];
  const refusal = (found: string) => new SamplerError('INVALID_MODEL', { value: `a function whose identity ${found}` });
  if (typeof identity !== 'object' || identity === null) throw refusal(`is ${describe(identity)}`);
  return Object.entries(identity).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value !== 'string') throw refusal(`has ${describe(value)} as ${name}`);
    if (loneSurrogate(name + '=' + value) >= 0) throw refusal(`has half a character in ${describe(name)} or its value`);
    return [name, value];
  });
}

/**
 * Where half of a surrogate pair stands alone, which UTF-8 cannot tell; -1 when nowhere. Not /\p{Surrogate}/u: the WebKit of
 * 2022 (2.38) looks for it inside of pairs, too.
 */
const loneSurrogate = (text: string): number =>
  text.replace(/[\ud800-\udbff][\udc00-\udfff]/g, '  ').search(/[\ud800-\udfff]/);

function checkText(state: string): string {
  const index = loneSurrogate(state);
  if (index >= 0) throw new SamplerError('STATE_NOT_JSON', { index, detail: 'half a character' });
  return state;
}

function toJson(state: unknown): string {
  try {
    const json: unknown = JSON.stringify(state);
    if (typeof json === 'string') return json;
  } catch (cause) {
    throw new SamplerError('STATE_NOT_JSON', { index: 0, detail: `it is ${describe(state)}`, cause });
  }
  throw new SamplerError('STATE_NOT_JSON', { index: 0, detail: `it is ${describe(state)}` });
}
