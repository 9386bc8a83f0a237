import { describe, SamplerError } from '../errors.js';
import type { Model, ModelIdentity } from '../model.js';
import { EvaluationQueue } from './evaluation-queue.js';
import type { Evaluator } from './evaluator.js';

/** How a single text is evaluated. */
export interface EvaluateOptions {
  readonly signal?: AbortSignal | undefined;
}

/** A language model that runs in ONNX Runtime. Any number of generators may use it; they take turns. */
export interface OnnxModel extends Model, Disposable {
  /**
   * The logits of the token that comes after these. The array is the caller's.
   *
   * Rejects with a SamplerError: INVALID_TOKEN, ABORTED, MODEL_DISPOSED, or MODEL_FAILED in the runtime's words.
   */
  (tokens: readonly number[], options?: EvaluateOptions): Promise<Float32Array<ArrayBuffer>>;
  /** Name, SHA-256 of the files, runtime and version, execution provider, threads: what decides the bits of a row. */
  readonly identity: ModelIdentity;
  /** The length of a row. */
  readonly vocabSize: number;
  /** How many tokens the model sees at once. Of longer texts it sees the end. */
  readonly contextLength: number;
  /** The token that ends a text, where the model has one. */
  readonly eosTokenId: number | undefined;
  /** Frees the memory; evaluations that wait or run reject with MODEL_DISPOSED. */
  dispose(): void;
}

export function createOnnxModel(evaluator: Evaluator): OnnxModel {
  const { facts } = evaluator;
  const queue = new EvaluationQueue(evaluator);
  const evaluate = async (
    tokens: readonly number[],
    { signal }: EvaluateOptions = {},
  ): Promise<Float32Array<ArrayBuffer>> => queue.evaluate(checkedCopy(tokens, facts.vocabSize), signal);
  const dispose = (): void => {
    queue.dispose();
  };
  return Object.assign(evaluate, facts, { dispose, [Symbol.dispose]: dispose });
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
