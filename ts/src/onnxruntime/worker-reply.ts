import type { ErrorCode, ErrorDetails } from '../errors.js';
import type { ModelFacts } from './evaluator.js';
import type { LoadProgress } from './model-files.js';
import type { Text } from './schedule.js';
import type { ModelRow } from './session.js';

/** A text, and how many of its last rows are wanted. */
export interface WorkerQuestion {
  readonly text: Text;
  readonly count: number;
}

/**
 * What the worker says. Its first message in are the options: it answers with any number of `progress`, then with the
 * facts. Each later message in is a question: it answers with the rows. Either may end in `failed` instead.
 */
export type WorkerReply =
  | { readonly type: 'progress'; readonly progress: LoadProgress }
  | { readonly type: 'answer'; readonly answer: ModelFacts | readonly ModelRow[] }
  | { readonly type: 'failed'; readonly code: ErrorCode; readonly details: ErrorDetails };
