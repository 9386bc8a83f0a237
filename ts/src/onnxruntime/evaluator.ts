import type { ModelIdentity } from '../model.js';
import type { LoadProgress, ModelSource } from './model-files.js';
import type { Text } from './schedule.js';
import type { ExecutionProvider } from './runtime.js';
import type { ModelRow } from './session.js';
import type { Memory } from './snapshot.js';

/** What is known of a loaded model. */
export interface ModelFacts {
  readonly identity: ModelIdentity;
  readonly vocabSize: number;
  readonly contextLength: number;
  readonly eosTokenIds: readonly number[];
}

/** A loaded model, wherever it runs. One call at a time. */
export interface Evaluator {
  readonly facts: ModelFacts;
  /** So many rows: those of the token after each of the last ones; more than one of an invariant model alone. */
  evaluate(text: Text, count: number): Promise<readonly ModelRow[]>;
  /** What is known of the text; undefined where nothing is. */
  recall(text: Text): Promise<Memory | undefined>;
  /** Whether it fits the model, which then knows it as if it had evaluated it. */
  remember(memory: Memory): Promise<boolean>;
  /** Frees the memory; a call under way need not end. */
  dispose(): void;
}

export interface EvaluatorOptions {
  readonly source: ModelSource;
  /** The folder of the runtime's own files. */
  readonly runtimeBaseUrl: string | undefined;
  readonly executionProvider: ExecutionProvider;
  readonly threads: number;
  /** Undefined where a probe is to find out. */
  readonly invariant: boolean | undefined;
}

/** The signal ends the loading, with its reason. */
export type StartEvaluator = (
  options: EvaluatorOptions,
  onProgress: (progress: LoadProgress) => void,
  signal: AbortSignal | undefined,
) => Promise<Evaluator>;
