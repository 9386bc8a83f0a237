import { identityChanges, toAuditMode, type AuditMode, type IdentityChange, type Mismatch } from './audit.js';
import type { Core } from './core.js';
import { describe, SamplerError } from './errors.js';
import type { GeneratorState } from './generator-state.js';
import type { LogitsInput } from './logits.js';
import { loneSurrogate } from './lone-surrogate.js';
import type { Model, ModelIdentity } from './model.js';
import { Owned } from './owned.js';
import { Run, type RunOptions } from './run.js';
import { freshSeed, toUint64, type Seed } from './seed.js';
import { checkNames, generatorNames, readSettings, toOptions, type FullSettings, type Settings } from './settings.js';
import type { Generator as Handle } from '../wasm/quillmate.mjs';

/** Settings of a generator and the seed of its random numbers. */
export interface GeneratorOptions extends Settings {
  /** From 0 to 2^64 - 1. Left out, a fresh one is drawn; {@link Generator.seed} tells it. */
  readonly seed?: Seed | undefined;
  /** What is kept of the model's rows, for {@link GeneratorConstructor.replay}. Default `off`. */
  readonly audit?: AuditMode | undefined;
}

/** How a step is made. */
export interface StepOptions {
  /** Handed to the model, which may give the row up; the step then rejects with what the model rejects with. */
  readonly signal?: AbortSignal | undefined;
}

const branchKind = { code: 'INVALID_SEED', what: "the branch's options are", example: '{ seed: 7 }' } as const;

/** How a branch differs. */
export interface BranchOptions {
  /** Left out, the generator's own: then the branch draws what was drawn here. */
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
  readonly #identityChanges: readonly IdentityChange[];
  #busy = false;

  /**
   * @internal
   * @param before the identity of the model that the text was begun with, where the handle's state does not tell it
   */
  constructor(core: Core, model: Model, handle: Handle, before?: ModelIdentity) {
    const { tokens, promptLength, seed, settings, model: recorded } = parse(handle);
    this.#core = core;
    this.#model = model;
    this.#handle = new Owned(handle);
    this.#tokens = tokens;
    this.#promptLength = promptLength;
    this.#seed = seed;
    this.#settings = Object.freeze(settings);
    this.#identityChanges = identityChanges(before ?? recorded, model.identity);
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
   * How the model differs, by its identity, from the one that the state was saved with, of which this generator was
   * made. Empty where nothing differs, or where one of the two has no identity. Where nothing differs, the text goes on, or comes again, as it would have there.
   */
  get identityChanges(): readonly IdentityChange[] {
    return this.#identityChanges;
  }

  /**
   * Of a replay: where the model's numbers differ from those that the text was drawn from first. Undefined while no
   * difference has shown, and where the state held no audit. A light audit tells at the last recorded token.
   */
  get mismatch(): Mismatch | undefined {
    const { first, last } = this.#alive().mismatch();
    return first < 0 ? undefined : { first, last, identityChanges: this.#identityChanges };
  }

  /**
   * The text up to a place in its drawn part, as a generator of its own that goes on from there with the same model.
   *
   * With the generator's seed it draws what was drawn here; its state is that of this generator at that place. With
   * another seed, the shared tokens are its prompt. In a light audit, its chain begins at that place.
   *
   * @param atToken how many tokens are shared, from the length of the prompt to that of the text
   *
   * Throws a {@link SamplerError}: INVALID_POSITION, INVALID_SEED, UNKNOWN_SETTING, GENERATOR_DISPOSED.
   */
  branch(atToken: number, options?: BranchOptions): Generator {
    const given = toOptions(options, branchKind);
    // Its settings are the generator's: other ones would be passed over.
    checkNames(given, ['seed'], []);
    const { seed = this.#seed } = given;
    if (typeof atToken !== 'number') {
      const detail = `${this.#promptLength} to ${this.#tokens.length}`;
      throw new SamplerError('INVALID_POSITION', { value: describe(atToken), detail });
    }
    const handle = this.#alive().branch(atToken, toUint64(seed, 'INVALID_SEED'));
    if (!handle) throw this.#core.failure();
    return Reflect.construct(Generator, [this.#core, this.#model, handle], this.constructor) as Generator;
  }

  /**
   * Asks the model for the next row and draws the next token.
   *
   * Rejects, leaving the generator as it was, with what the model threw, or with a {@link SamplerError}: GENERATOR_BUSY
   * while another step is under way, GENERATOR_DISPOSED (also when disposed meanwhile), INVALID_LOGITS, EMPTY_ROW,
   * NAN_LOGIT, INFINITE_LOGIT, ALL_BANNED, WRONG_LENGTH when the row's length differs from earlier ones,
   * INVALID_TOKEN when the row has no place for a token of the text.
   */
  async step(options?: StepOptions): Promise<number> {
    const signal = options?.signal;
    this.#alive();
    if (this.#busy) throw new SamplerError('GENERATOR_BUSY', { detail: 'step() again' });
    this.#busy = true;
    try {
      const model = this.#model; // called as a function: the generator is not its `this`
      const answer = model(this.tokens, { promptLength: this.#promptLength, signal });
      // A row that is there is used before anyone else can run: a model may fill one array for all its callers.
      const logits = isPromise(answer) ? await answer : answer;
      this.#alive();
      return this.#draw(logits);
    } finally {
      this.#busy = false;
    }
  }

  /**
   * Draws the next token from a row that the caller has: the model is not asked. The row must be that of
   * {@link tokens}, all of them.
   *
   * Throws a {@link SamplerError}: GENERATOR_BUSY during a step, and what {@link step} rejects with.
   */
  draw(logits: LogitsInput): number {
    this.#alive();
    if (this.#busy) throw new SamplerError('GENERATOR_BUSY', { detail: 'draw()' });
    this.#busy = true;
    try {
      return this.#draw(logits);
    } finally {
      this.#busy = false;
    }
  }

  /**
   * Draws tokens until one of the options says that it is enough. Nothing happens before the result is awaited or
   * iterated; an iteration draws a token each time it is asked for one, and one that is left early leaves the generator
   * after the token it was left at.
   *
   *     const { reason } = await generator.run({ maxTokens: 100, onToken: show });
   *     for await (const token of generator.run({ maxTokens: 100, eosId: 0 })) show(token);
   *
   * Throws a {@link SamplerError} INVALID_RUN. Rejects with what {@link step} rejects with; the tokens drawn before
   * remain drawn.
   */
  run(options: RunOptions = {}): Run {
    return new Run(this, this.#promptLength, options);
  }

  /** All that is needed to go on later or elsewhere. During a step: the state before it. */
  state(): GeneratorState {
    return parse(this.#alive());
  }

  /** Frees the generator's memory; may be called again, and during a step, which then rejects. */
  dispose(): void {
    this.#handle.free();
  }

  /** As {@link dispose}, for `using`. */
  [Symbol.dispose](): void {
    this.dispose();
  }

  /** @internal Unlike instanceof, not deceived by what only inherits from one. */
  static is(given: unknown): given is Generator {
    return typeof given === 'object' && given !== null && #handle in given;
  }

  #draw(logits: unknown): number {
    const { address, size, dtype } = this.#core.place(logits);
    const handle = this.#alive(); // an element's getter may have disposed it
    const token = this.#core.check(handle.step(address, size, dtype));
    this.#tokens.push(token);
    return token;
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

/** @internal */
export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as Partial<Promise<T>> | undefined)?.then === 'function';
}

/** What `sampler.Generator` is. */
export interface GeneratorConstructor {
  /**
   * A text that begins with a prompt.
   *
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

  /**
   * Writes the text of a state again from its prompt, with what may be another model or another machine. The tokens are
   * those that this model's numbers decide; {@link Generator.mismatch} tells when these are not the numbers of the
   * first time, as far as the state's audit recorded them.
   *
   * Throws what {@link fromState} throws.
   */
  replay(model: Model, state: GeneratorState | string): Generator;
}

/** @internal The class that makes generators with this module. */
export function generatorOf(core: Core): GeneratorConstructor {
  return class BoundGenerator extends Generator {
    constructor(model: Model, prompt: readonly number[] | Int32Array, options: GeneratorOptions = {}) {
      super(core, checkModel(model), create(core, model, prompt, options));
    }

    static fromState(model: Model, state: GeneratorState | string): Generator {
      const checked = checkModel(model);
      identityOf(checked);
      const handle = core.module.Generator.fromState(toJson(state));
      if (!handle) throw core.failure();
      return Reflect.construct(Generator, [core, checked, handle], BoundGenerator);
    }

    static replay(model: Model, state: GeneratorState | string): Generator {
      const checked = checkModel(model);
      const identity = identityOf(checked);
      const json = toJson(state);
      const handle = core.module.Generator.replay(json, identity);
      if (!handle) throw core.failure();
      const { model: before } = JSON.parse(json) as GeneratorState;
      return Reflect.construct(Generator, [core, checked, handle, before], BoundGenerator);
    }
  };
}

function create(core: Core, model: Model, prompt: unknown, options: GeneratorOptions): Handle {
  // The prompt comes last: all that runs the caller's code is done before its place is taken.
  const given = toOptions(options);
  checkNames(given, generatorNames);
  const { temperature, topK, topP } = readSettings(given);
  const { seed: chosen } = given;
  const seed = chosen === undefined ? freshSeed() : toUint64(chosen, 'INVALID_SEED');
  const audit = toAuditMode(core, given.audit);
  const identity = identityOf(model);
  const { address, size } = placePrompt(core, prompt);
  const handle = core.module.Generator.create(address, size, seed, temperature, topK, topP, identity, audit);
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
  const refusal = (found: string) =>
    new SamplerError('INVALID_MODEL', {
      value: `a function whose identity ${found}`,
      message: `the model's identity ${found}; use an object whose names and values are text, such as { name: 'toy' }`,
    });
  if (typeof identity !== 'object' || identity === null) throw refusal(`is ${describe(identity)}`);
  return Object.entries(identity).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value !== 'string') throw refusal(`has ${describe(value)} as ${name}`);
    if (loneSurrogate(name + '=' + value) >= 0) throw refusal(`has half a character in ${describe(name)} or its value`);
    return [name, value];
  });
}

function toJson(state: unknown): string {
  if (typeof state === 'string') {
    const index = loneSurrogate(state);
    if (index >= 0) throw new SamplerError('STATE_NOT_JSON', { index, detail: 'half a character' });
    return state;
  }
  try {
    const json: unknown = JSON.stringify(state);
    if (typeof json === 'string') return json;
  } catch (cause) {
    throw new SamplerError('STATE_NOT_JSON', { index: 0, detail: `it is ${describe(state)}`, cause });
  }
  throw new SamplerError('STATE_NOT_JSON', { index: 0, detail: `it is ${describe(state)}` });
}
