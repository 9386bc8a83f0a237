import { describe, SamplerError } from '../errors.js';
import type { Generator, GeneratorOptions } from '../generator.js';
import type { GeneratorState } from '../generator-state.js';
import type { Model, ModelIdentity } from '../model.js';
import type { Sampler } from '../sampler.js';
import { checkNames, generatorNames, noObject } from '../settings.js';

/** What Transformers.js hands to a logits processor, as far as it is used here: float32, `[rows, vocabulary]`. */
export interface LogitsTensor {
  readonly dims: readonly number[];
  readonly data: unknown;
}

/** A logits processor of Transformers.js: it is given the tokens and the logits of each row, and returns the logits. */
export type LogitsProcessor = <Tensor extends LogitsTensor>(inputIds: bigint[][], logits: Tensor) => Tensor;

/** A row that begins with the inputs as its prompt. */
export interface NewRow extends GeneratorOptions {
  /** What made the numbers, for the state. */
  readonly identity?: ModelIdentity | undefined;
}

/** A row that goes on from a state, whose tokens the inputs are. */
export interface ResumedRow {
  readonly state: GeneratorState | string;
  readonly identity?: ModelIdentity | undefined;
}

/** How one row of a request is sampled. */
export type SeededRow = NewRow | ResumedRow;

/** One call of `generate` in which this package draws the tokens; made by {@link seededGeneration}. */
export interface SeededGeneration extends Disposable {
  /** To be handed to `generate`, beside the inputs and the lengths. */
  readonly options: {
    readonly do_sample: false;
    readonly num_beams: 1;
    readonly logits_processor: readonly LogitsProcessor[];
  };
  /** The states of the rows, from which another request can go on; none before the first token. */
  states(): GeneratorState[];
  /** Frees the generators. */
  dispose(): void;
}

/**
 * Draws the tokens of one call of Transformers.js's `generate`, each row with its own seed and settings:
 *
 *     const request = seededGeneration(sampler, { seed: 42, temperature: 0.8, topP: 0.95 });
 *     const output = await model.generate({ ...inputs, max_new_tokens: 100, ...request.options });
 *     const [state] = request.states();
 *
 * It is a logits processor that leaves each row with the one token that was drawn, which the library's greedy search
 * then takes. The library's own processors (a repetition penalty, banned words) come before it and count; its sampling
 * settings must stay away, as `options` sees to.
 *
 * To go on, pass the state and, as the inputs, the tokens that it holds.
 *
 * @param rows one for each row of the inputs, or one alone
 *
 * `generate` rejects with a SamplerError: those of Generator.step; WRONG_LENGTH when there are more rows or fewer;
 * TEXT_CHANGED when a row's tokens are not those that were drawn, or not those of the state. No row has drawn then.
 */
export function seededGeneration(sampler: Sampler, rows: SeededRow | readonly SeededRow[]): SeededGeneration {
  const given = Array.isArray(rows) ? (rows as readonly SeededRow[]) : [rows as SeededRow];
  // States and settings are checked now, not by and by within generate.
  const sources = given.map((row, index) => {
    if (!isObject(row)) throw noObject(row, undefined, Array.isArray(rows) ? index : undefined);
    if ('state' in row) {
      // Its settings are the state's: other ones would be passed over.
      checkNames(row, ['identity', 'state'], []);
      return { generator: sampler.Generator.fromState(modelOf(row), row.state), row: {} };
    }
    checkNames(row, [...generatorNames, 'identity', 'state']);
    begin(sampler, row, []).dispose();
    return { generator: undefined, row };
  });
  const generators: (Generator | undefined)[] = sources.map(({ generator }) => generator);
  let isDisposed = false;
  const checkUse = (): void => {
    if (isDisposed) throw new SamplerError('GENERATOR_DISPOSED');
  };

  const processor: LogitsProcessor = (inputIds, logits) => {
    checkUse();
    const size = logits.dims.at(-1) ?? 0;
    const { data } = logits;
    if (!(data instanceof Float32Array) || data.length !== inputIds.length * size) {
      throw new SamplerError('INVALID_LOGITS', { value: `a tensor of ${describe(data)}, ${logits.dims.join(' x ')}` });
    }
    if (inputIds.length !== given.length) {
      const detail = `there are ${inputIds.length} rows of inputs and ${given.length} of settings`;
      throw new SamplerError('WRONG_LENGTH', { detail });
    }
    const texts = inputIds.map((ids) => ids.map(Number));
    generators.forEach((generator, index) => {
      if (generator) checkText(generator.tokens, texts[index] ?? [], index);
    });
    // A row that is none is refused before another is drawn from: all or nothing.
    if (texts.length > 1) sampler.sampleBatch(data, size, { temperature: 0, u: 0 });
    texts.forEach((tokens, index) => {
      const generator = (generators[index] ??= begin(sampler, sources[index]?.row ?? {}, tokens));
      const row = data.subarray(index * size, (index + 1) * size);
      const token = generator.draw(row);
      row.fill(-Infinity);
      row[token] = 0;
    });
    return logits;
  };

  const dispose = (): void => {
    isDisposed = true;
    for (const generator of generators) generator?.dispose();
  };
  return {
    options: { do_sample: false, num_beams: 1, logits_processor: [processor] },
    states: () => {
      checkUse();
      return generators.flatMap((generator) => (generator ? [generator.state()] : []));
    },
    dispose,
    [Symbol.dispose]: dispose,
  };
}

function isObject(given: unknown): boolean {
  return typeof given === 'object' && given !== null;
}

function begin(sampler: Sampler, { identity, ...options }: NewRow, prompt: readonly number[]): Generator {
  return new sampler.Generator(modelOf({ identity }), prompt, options);
}

/** The rows come from the library: nobody asks for one. */
function modelOf({ identity }: { readonly identity?: ModelIdentity | undefined }): Model {
  const model = (): never => {
    throw new SamplerError('INVALID_MODEL', { value: 'that of Transformers.js, which is asked by its generate alone' });
  };
  return Object.assign(model, { identity });
}

function checkText(drawn: readonly number[], tokens: readonly number[], row: number): void {
  const index = tokens.findIndex((token, i) => token !== drawn[i]);
  if (index < 0 && tokens.length === drawn.length) return;
  const place = index < 0 ? tokens.length : index;
  const [found, expected] = [tokens[place], drawn[place]].map((token) => token ?? 'nothing');
  throw new SamplerError('TEXT_CHANGED', { row, index: place, value: String(found), detail: String(expected) });
}
