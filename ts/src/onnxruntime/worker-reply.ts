import type { ErrorCode, ErrorDetails } from '../errors.js';
import type { ModelFacts } from './evaluator.js';
import type { LoadProgress } from './model-files.js';
import type { ModelRow } from './session.js';

/**
 * What the worker says. Its first message in are the options: it answers with any number of `progress`, then with the
 * facts. Each later message in is a text: it answers with the row. Either may end in `failed` instead.
 */
export type WorkerReply =
  | { readonly type: 'progress'; readonly progress: LoadProgress }
  | { readonly type: 'answer'; readonly answer: ModelFacts | ModelRow }
  | { readonly type: 'failed'; readonly code: ErrorCode; readonly details: ErrorDetails };
