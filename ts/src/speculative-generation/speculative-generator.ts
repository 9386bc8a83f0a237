import { describe, SamplerError } from '../errors.js';
import type { BranchOptions, Generator, GeneratorOptions, StepOptions } from '../generator.js';
import type { IdentityChange } from '../audit.js';
import type { GeneratorState } from '../generator-state.js';
import type { Run, RunOptions } from '../run.js';
import type { Sampler } from '../sampler.js';
import { checkNames, generatorNames, toOptions, type FullSettings } from '../settings.js';
import { Lookahead, type Acceptance, type SpeculationModels } from './lookahead.js';
import { planNames, toPlan, type Plan, type SpeculationMode, type SpeculationOptions } from './plan.js';
import { readState, stateOf, type SpeculativeState } from './speculative-state.js';

const modelsKind = { code: 'INVALID_MODEL', what: 'the models are', example: '{ target, draft }' } as const;

/** How a speculating generator draws and speculates. */
export interface SpeculativeGeneratorOptions extends GeneratorOptions, SpeculationOptions {}

/**
 * A generator that lets a target model evaluate several tokens at once, the next ones being guessed by a draft: a smaller
 * model, or the text itself.
 *
 *     const models = { target: model, draft: suffixLookup() };
 *     const generator = new SpeculativeGenerator(sampler, models, prompt, { seed: 1, stopIds: model.eosTokenIds });
 *     const { reason } = await generator.run({ maxTokens: 100, eosId: model.eosTokenIds });
 *
 * In mode `text` its text, its audit and its state's `generator` are those of a plain generator. In mode `distribution`
 * its text follows the same law, but is another one, which depends on the draft and the depth as well; a token that is
 * guessed takes its random numbers from the streams 1 (the guess), 2 (whether it stands) and 3 (what comes instead) of
 * its place, any other from stream 0.
 */
export class SpeculativeGenerator implements Disposable {
  /**
   * The generator that draws: for `sampler.stepBatch`, and in mode `text` for all that a plain one can. The two have one
   * text.
   */
  readonly generator: Generator;
  readonly #sampler: Sampler;
  readonly #models: SpeculationModels;
  readonly #plan: Plan;
  readonly #lookahead: Lookahead;

  /**
   * A text that begins with a prompt.
   *
   * @param prompt as for a plain generator
   * @param saved for {@link fromState}
   *
   * Throws a SamplerError: INVALID_RUN for the mode, the depth, the stop ids, and an audit in mode `distribution`, where
   * the rows that tokens are drawn from are not the target's; INVALID_MODEL; those of `new sampler.Generator`.
   */
  constructor(
    sampler: Sampler,
    models: SpeculationModels,
    prompt: readonly number[] | Int32Array,
    options: SpeculativeGeneratorOptions = {},
    saved?: SpeculativeState,
  ) {
    const given = toOptions(options);
    checkNames(given, [...generatorNames, ...planNames]);
    const { mode, depth, stopIds, ...settings } = given;
    const { target, draft } = toOptions(models, modelsKind);
    for (const model of [target, draft]) {
      if (typeof model !== 'function') throw new SamplerError('INVALID_MODEL', { value: describe(model) });
    }
    this.#sampler = sampler;
    this.#models = models;
    this.#plan = toPlan({ mode, depth, stopIds });
    if (this.#plan.mode === 'distribution' && (settings.audit ?? 'off') !== 'off') {
      const value = `audit ${describe(settings.audit)} in mode 'distribution'`;
      throw new SamplerError('INVALID_RUN', { value, detail: "leave it off, or use mode 'text'" });
    }
    this.#lookahead = new Lookahead(sampler, models, this.#plan, saved?.rounds, () => this.generator);
    const { model } = this.#lookahead;
    this.generator = saved
      ? sampler.Generator.fromState(model, saved.generator)
      : new sampler.Generator(model, prompt, settings);
  }

  /**
   * Goes on where {@link SpeculativeGenerator.state} was called, with the same models. A plain generator's state is gone on with in mode `text`.
   *
   * @param state the object that it returned, or its JSON text
   * @param options the depth and the stop ids, for a plain generator's state
   *
   * Throws a SamplerError: STATE_NOT_JSON, STATE_FOREIGN_FORMAT, STATE_UNKNOWN_VERSION, STATE_INCONSISTENT, INVALID_MODEL.
   */
  static fromState(
    sampler: Sampler,
    models: SpeculationModels,
    state: SpeculativeState | GeneratorState | string,
    options: Pick<SpeculationOptions, 'depth' | 'stopIds'> = {},
  ): SpeculativeGenerator {
    const saved = readState(state, options);
    const { mode, depth, stopIds } = saved;
    return new SpeculativeGenerator(sampler, models, [], { mode, depth, stopIds }, saved);
  }

  get mode(): SpeculationMode {
    return this.#plan.mode;
  }

  /** See Generator.seed. */
  get seed(): string {
    return this.generator.seed;
  }

  get settings(): FullSettings {
    return this.generator.settings;
  }

  /** A copy of the prompt and all tokens drawn so far. */
  get tokens(): number[] {
    return this.generator.tokens;
  }

  /** See Generator.identityChanges; in mode `distribution` the draft's fields, as `draft.name`, count as well. */
  get identityChanges(): readonly IdentityChange[] {
    return this.generator.identityChanges;
  }

  /** How often guesses were right. */
  get acceptance(): Acceptance {
    return this.#lookahead.acceptanceAt(this.generator.tokens);
  }

  /**
   * Draws the next token; the models are asked when it is the first of a round.
   *
   * Rejects, leaving the generator as it was, with what a model threw or with a SamplerError: those of Generator.step, for
   * the draft's rows as well; WRONG_LENGTH when the rows of the two models differ in length, INVALID_TOKEN for a guess
   * that is none.
   */
  step(options?: StepOptions): Promise<number> {
    return this.generator.step(options);
  }

  /** See Generator.run. */
  run(options?: RunOptions): Run {
    return this.generator.run(options);
  }

  /** See Generator.branch. */
  branch(atToken: number, options: BranchOptions = {}): SpeculativeGenerator {
    const state = this.state();
    const branch = this.generator.branch(atToken, options);
    const generator = branch.state();
    branch.dispose();
    const shared = generator.seed === this.seed ? state.rounds.filter((place) => place <= atToken) : [];
    const rounds = shared.length > 0 ? shared : [atToken];
    return SpeculativeGenerator.fromState(this.#sampler, this.#models, { ...state, rounds, generator });
  }

  /** All that is needed to go on later or elsewhere. During a step: the state before it. */
  state(): SpeculativeState {
    const generator = this.generator.state();
    return stateOf(this.#plan, [...this.#lookahead.roundsAt(generator.tokens)], generator);
  }

  /** Frees the generator's memory; the models are the caller's. */
  dispose(): void {
    this.generator.dispose();
  }

  /** As {@link dispose}, for `using`. */
  [Symbol.dispose](): void {
    this.dispose();
  }
}
