import { describe, SamplerError } from '../errors.js';
import type { ModelIdentity, ModelOptions } from '../model.js';
import { EvaluationQueue } from './evaluation-queue.js';
import type { Evaluator } from './evaluator.js';
import type { Text } from './schedule.js';
import type { ModelRow } from './session.js';
import { opened, sealed, type ModelSnapshot } from './snapshot.js';

/** How a single text is evaluated. */
export interface EvaluateOptions extends Partial<ModelOptions> {
  readonly signal?: AbortSignal | undefined;
}

/** A `Model` that runs in ONNX Runtime. Any number of generators may use it; they take turns. */
export interface OnnxModel extends Disposable {
  /**
   * The logits of the token that comes after these; the array is the caller's. A model in float16 gives
   * `{ type: 'float16', data }`, which the sampler takes as it is.
   *
   * For the same tokens, and the same `promptLength` where the model is not invariant, the row is always the same to the
   * bit. A model that is not invariant evaluates the prompt in one call and then each token in one of its own; what is
   * no longer known of a text is evaluated anew in that way. Left out, `promptLength` says that all is the prompt.
   *
   * Rejects with a SamplerError: INVALID_TOKEN, WRONG_LENGTH for a prompt longer than the text or of no length, ABORTED,
   * MODEL_DISPOSED, or MODEL_FAILED in the runtime's words.
   */
  (tokens: readonly number[], options?: EvaluateOptions): Promise<ModelRow>;
  /**
   * The rows of the texts that end at each of the last `count` tokens, in that order, of one evaluation: to the bit those
   * that the model gives for each of these texts. Undefined for a model that is not invariant, which cannot promise that.
   *
   * Rejects as the model itself does; WRONG_LENGTH too for a count that is not from 1 to the number of tokens.
   */
  readonly rows:
    ((tokens: readonly number[], count: number, options?: EvaluateOptions) => Promise<readonly ModelRow[]>) | undefined;
  /**
   * Name, SHA-256 of the files, runtime and version, execution provider, with WebGPU what the browser calls the GPU,
   * threads: what decides the bits of a row. And `invariant`, what a short probe at load found: `no` when the bits depend on how a text is divided into calls. A `yes`
   * says that on this machine no difference showed in calls of 1 to 9 tokens over as many as 512; it is no proof.
   */
  readonly identity: ModelIdentity;
  /** The length of a row. */
  readonly vocabSize: number;
  /** How many tokens the model sees at once. Of longer texts it sees the end. */
  readonly contextLength: number;
  /** The token that ends a text, where the model has one; the first, where it has several. */
  readonly eosTokenId: number | undefined;
  /** All tokens that end a text. */
  readonly eosTokenIds: readonly number[];
  /**
   * What the model remembers of a text, such as a generator's `state()`: the keys and values of as many of its tokens as
   * it knows, up to some megabytes; undefined where it knows none. Nothing is evaluated for it.
   *
   * Rejects with a SamplerError: MODEL_DISPOSED, MODEL_FAILED.
   */
  snapshot(text: Text): Promise<ModelSnapshot | undefined>;
  /**
   * Has the model remember what a {@link OnnxModel.snapshot} holds, in another page or process: the text then goes on from there, to
   * the bit as it would have, and not one of those tokens is evaluated anew.
   *
   * False for whatever is no snapshot of this very model, or is not as it was made; then nothing has changed. Rejects with a
   * SamplerError: MODEL_DISPOSED, MODEL_FAILED.
   */
  restore(snapshot: unknown): Promise<boolean>;
  /** Frees the memory; evaluations that wait or run reject with MODEL_DISPOSED. */
  dispose(): void;
}

export function createOnnxModel(evaluator: Evaluator): OnnxModel {
  const { facts } = evaluator;
  const queue = new EvaluationQueue(evaluator);
  const rows = async (
    tokens: readonly number[],
    count: number,
    { promptLength = tokens.length, signal }: EvaluateOptions = {},
  ): Promise<readonly ModelRow[]> => {
    const text = { tokens: checkedCopy(tokens, facts.vocabSize), promptLength };
    if (!Number.isInteger(promptLength) || promptLength < 0 || promptLength > tokens.length) {
      throw new SamplerError('WRONG_LENGTH', {
        detail: `promptLength is ${describe(promptLength)} for a text of ${tokens.length} tokens`,
      });
    }
    if (!Number.isInteger(count) || count < 1 || count > tokens.length) {
      throw new SamplerError('WRONG_LENGTH', {
        detail: `${describe(count)} rows are wanted of a text of ${tokens.length} tokens`,
      });
    }
    return queue.turn((evaluator) => evaluator.evaluate(text, count), signal);
  };
  const evaluate = async (tokens: readonly number[], options?: EvaluateOptions): Promise<ModelRow> => {
    const [row] = await rows(tokens, 1, options);
    if (row === undefined) throw new SamplerError('MODEL_FAILED', { detail: 'it gave no row' });
    return row;
  };
  const snapshot = async ({ tokens, promptLength }: Text): Promise<ModelSnapshot | undefined> => {
    const memory = await queue.turn((evaluator) => evaluator.recall({ tokens: [...tokens], promptLength }));
    return memory && sealed(facts.identity, memory);
  };
  const restore = async (snapshot: unknown): Promise<boolean> => {
    const memory = await opened(facts.identity, snapshot);
    return memory !== undefined && queue.turn((evaluator) => evaluator.remember(memory));
  };
  const dispose = (): void => {
    queue.dispose();
  };
  return Object.assign(evaluate, facts, {
    rows: facts.identity.invariant === 'yes' ? rows : undefined,
    eosTokenId: facts.eosTokenIds[0],
    snapshot,
    restore,
    dispose,
    [Symbol.dispose]: dispose,
  });
}

function checkedCopy(tokens: readonly number[], vocabSize: number): number[] {
  if (tokens.length === 0) {
    throw new SamplerError('MODEL_FAILED', {
      detail: 'it has no tokens; begin it with the token that starts a text of this model',
    });
  }
  return Array.from(tokens, (token, index) => {
    if (!Number.isInteger(token) || token < 0 || token >= vocabSize) {
      throw new SamplerError('INVALID_TOKEN', { index, value: describe(token), detail: 'the text' });
    }
    return token;
  });
}
