import type { Core } from './core.js';
import { describe, SamplerError, type ErrorCode } from './errors.js';
import { generatorOf, type Generator, type GeneratorConstructor } from './generator.js';
import { logitsRowOf, type LogitsRowConstructor } from './logits-row.js';
import type { LogitsInput } from './logits.js';
import type { Numbers } from './numbers.js';
import { toUint64, type Seed } from './seed.js';
import { checkNames, drawNames, readSettings, settingNames, toNumber, toOptions, type Settings } from './settings.js';
import {
  emittedDistribution,
  speculativeStep,
  type EmittedDistribution,
  type Speculation,
  type Weights,
} from './speculative.js';
import { stepBatch } from './step-batch.js';

/** Settings and the random number of one draw. */
export interface DrawSettings extends Settings {
  /** In [0, 1), such as {@link Sampler.uniform} gives. */
  readonly u: number;
}

/** One number for all rows of a batch, or an array with one for each. */
export type PerRow = number | readonly number[] | Float32Array | Float64Array | Int32Array;

/** Settings and random numbers of a batch of rows. */
export interface BatchSettings {
  readonly temperature?: PerRow | undefined;
  readonly topK?: PerRow | undefined;
  readonly topP?: PerRow | undefined;
  readonly u: PerRow;
}

/** What the settings keep of a row. */
export interface Distribution {
  /** The tokens that can be drawn, in ascending order. */
  readonly ids: Int32Array;
  /** The probability of each, rounded to the nearest double. */
  readonly probabilities: Float64Array;
}

/**
 * The sampling rules, bound to a loaded WebAssembly module; made by `loadSampler()`. Every method that refuses its
 * arguments throws a {@link SamplerError}; no method changes an array that it is given, and no result is changed later.
 */
export class Sampler {
  /** `new sampler.Generator(model, prompt, options)`: a resumable stream of tokens. */
  readonly Generator: GeneratorConstructor;
  /** `new sampler.LogitsRow(vocabSize)`: a row that a runtime can write in place. */
  readonly LogitsRow: LogitsRowConstructor;
  readonly #core: Core;

  /** @internal */
  constructor(core: Core) {
    this.#core = core;
    this.Generator = generatorOf(core);
    this.LogitsRow = logitsRowOf(core);
  }

  /**
   * Draws one token.
   *
   * @returns the token's id, from 0 to `logits.length - 1`
   *
   * Errors: EMPTY_ROW (also for a detached array), NAN_LOGIT and INFINITE_LOGIT with the index, ALL_BANNED,
   * INVALID_LOGITS, INVALID_TEMPERATURE, INVALID_TOP_K, INVALID_TOP_P, INVALID_U; UNKNOWN_SETTING where one is left out.
   */
  sampleToken(logits: LogitsInput, settings: DrawSettings): number {
    const given = toOptions(settings);
    const { temperature, topK, topP } = readSettings(given);
    const u = toNumber(given.u, 'INVALID_U');
    const { address, size, dtype } = this.#core.place(logits);
    return this.#core.check(this.#core.module.sampleToken(address, size, dtype, temperature, topK, topP, u));
  }

  /**
   * Draws one token from each row: the tokens that {@link sampleToken} draws row by row.
   *
   * @param logits the rows one after the other, `vocabSize` logits each
   * @param settings one number for all rows, or an array with one for each
   * @returns one token a row
   *
   * Errors: those of sampleToken, with the row in `detail`; WRONG_LENGTH.
   */
  sampleBatch(logits: LogitsInput, vocabSize: number, settings: BatchSettings): Int32Array {
    const core = this.#core;
    if (!(Number.isSafeInteger(vocabSize) && vocabSize > 0)) {
      const detail = `rows of ${describe(vocabSize)} logits cannot be made`;
      const message = `${detail}; pass the size of the vocabulary, a whole number from 1`;
      throw new SamplerError('WRONG_LENGTH', { detail, message });
    }
    // All that runs the caller's code is done before a place is taken.
    const given = toOptions(settings);
    checkNames(given, drawNames);
    const { temperature = 1, topK = 0, topP = 1, u } = given;
    const temperatures = toColumn(core, temperature, 'temperature', 'INVALID_TEMPERATURE');
    const topKs = toColumn(core, topK, 'topK', 'INVALID_TOP_K');
    const topPs = toColumn(core, topP, 'topP', 'INVALID_TOP_P');
    const us = toColumn(core, u, 'u', 'INVALID_U');
    const { length, place } = core.rows(logits);
    const rows = length / vocabSize;
    if (!(Number.isSafeInteger(rows) && rows > 0)) {
      throw new SamplerError(length === 0 ? 'EMPTY_ROW' : 'WRONG_LENGTH', {
        detail: `${length} logits are no whole number of rows of ${describe(vocabSize)}`,
      });
    }
    for (const column of [temperatures, topKs, topPs, us]) checkLength(column, rows);
    // Row by row through one place: a batch that is copied as a whole is not in the cache when it is read.
    const tokens = new Int32Array(rows);
    for (let row = 0; row < rows; ++row) {
      const { address, size, dtype } = place(row * vocabSize, vocabSize);
      const [t, k, p, r] = [at(temperatures, row), at(topKs, row), at(topPs, row), at(us, row)];
      tokens[row] = core.check(core.module.sampleToken(address, size, dtype, t, k, p, r), row);
    }
    return tokens;
  }

  /**
   * What the settings keep of a row, with the probability of each token. Temperature 0 keeps one.
   *
   * Errors: those of {@link sampleToken} but INVALID_U.
   */
  distribution(logits: LogitsInput, settings: Settings = {}): Distribution {
    const core = this.#core;
    const given = toOptions(settings);
    checkNames(given, settingNames);
    const { temperature, topK, topP } = readSettings(given);
    const { address, size, dtype } = core.place(logits);
    const probabilities = core.scratch(size * (Float64Array.BYTES_PER_ELEMENT + Int32Array.BYTES_PER_ELEMENT));
    const ids = probabilities + size * Float64Array.BYTES_PER_ELEMENT;
    const kept = core.check(
      core.module.distribution(address, size, dtype, temperature, topK, topP, ids, probabilities),
    );
    return {
      ids: new Int32Array(core.memory, ids, kept).slice(),
      probabilities: new Float64Array(core.memory, probabilities, kept).slice(),
    };
  }

  /**
   * A number in [0, 1), a pure function of its arguments (Philox4x32-10), each from 0 to 2^64 - 1.
   *
   * @param step the position of the token that it is for, 0 for the first after the prompt
   * @param stream what it is for: 0 draws a token, 1 proposes a draft, 2 accepts it, 3 corrects it
   *
   * Errors: INVALID_SEED, INVALID_STEP, INVALID_STREAM.
   */
  uniform(seed: Seed, step: Seed, stream: Seed = 0): number {
    return this.#core.module.uniform(
      toUint64(seed, 'INVALID_SEED'),
      toUint64(step, 'INVALID_STEP'),
      toUint64(stream, 'INVALID_STREAM'),
    );
  }

  /**
   * Checks one draft token against the target, so that the emitted token follows the target's law exactly.
   *
   * @param pTarget the target's weights
   * @param qDraft the weights that the draft token was drawn from, as many
   * @param uAccept a uniform number for the decision
   * @param uResample another, independent one, for the correction
   *
   * Errors: EMPTY_ROW, WRONG_LENGTH, INVALID_WEIGHT, ZERO_TOTAL_WEIGHT, INVALID_TOKEN, DRAFT_WITHOUT_MASS, INVALID_U.
   */
  speculativeStep(
    pTarget: Weights,
    qDraft: Weights,
    draftToken: number,
    uAccept: number,
    uResample: number,
  ): Speculation {
    return speculativeStep(this.#core, [pTarget, qDraft], draftToken, uAccept, uResample);
  }

  /**
   * The law of the token that {@link speculativeStep} emits.
   *
   * Errors: EMPTY_ROW, WRONG_LENGTH, INVALID_WEIGHT, ZERO_TOTAL_WEIGHT.
   */
  emittedDistribution(pTarget: Weights, qDraft: Weights): EmittedDistribution {
    return emittedDistribution(this.#core, pTarget, qDraft);
  }

  /**
   * Gives each generator the token that it would draw alone, whatever the order and the company; their models run
   * concurrently.
   *
   * @returns the tokens, in the order of the generators
   *
   * When some fail, the others advance all the same, and the promise rejects with a StepBatchError. When the argument
   * is wrong (no array, no generator, one that is there twice), none advances, and it rejects with INVALID_BATCH.
   */
  stepBatch(generators: readonly Generator[]): Promise<number[]> {
    return stepBatch(generators);
  }
}

/** A setting of a batch, read and checked. */
interface Column {
  readonly name: string;
  /** One for all rows, or one for each. */
  readonly values: number | Numbers;
}

function toColumn(core: Core, given: unknown, name: string, code: ErrorCode): Column {
  const list = core.numbers(given, (value, row) => new SamplerError(code, { value, row }));
  return { name, values: list ?? toNumber(given, code) };
}

function checkLength({ name, values }: Column, rows: number): void {
  if (typeof values !== 'number' && values.length !== rows) {
    throw new SamplerError('WRONG_LENGTH', { detail: `${name} has ${values.length} values for ${rows} rows` });
  }
}

const at = ({ values }: Column, row: number): number => (typeof values === 'number' ? values : (values[row] ?? NaN));
