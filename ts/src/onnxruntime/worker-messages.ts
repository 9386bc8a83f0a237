import type { ErrorCode, ErrorDetails } from '../errors.js';
import type { EvaluatorOptions, ModelFacts } from './evaluator.js';
import type { LoadProgress } from './model-files.js';
import type { Text } from './schedule.js';
import type { ModelRow } from './session.js';
import type { Memory } from './snapshot.js';

/** What the worker is asked, one question at a time: to load a model first, then what an evaluator can be asked. */
export type WorkerQuestion =
  | { readonly type: 'load'; readonly options: EvaluatorOptions }
  | { readonly type: 'evaluate'; readonly text: Text; readonly count: number }
  | { readonly type: 'recall'; readonly text: Text }
  | { readonly type: 'remember'; readonly memory: Memory };

/** What the worker says: while it loads any number of `progress`, then to each question one answer, or that it failed. */
export type WorkerReply =
  | { readonly type: 'progress'; readonly progress: LoadProgress }
  | { readonly type: 'answer'; readonly answer: ModelFacts | readonly ModelRow[] | Memory | undefined | boolean }
  | { readonly type: 'failed'; readonly code: ErrorCode; readonly details: ErrorDetails };
