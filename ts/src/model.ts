import type { LogitsInput } from './logits.js';

/** What made the numbers, kept in the state: name, hash of the files, runtime, version and the like. */
export type ModelIdentity = Readonly<Record<string, string>>;

/** A language model: the tokens so far in, the logits of the next token out, at once or as a promise. */
export interface Model {
  /**
   * @param tokens the prompt and all drawn tokens: a copy, the model's to keep
   * @returns one logit per token of the vocabulary. A row that was returned directly is read at once, so that a model
   *   may use one array for all its rows; one that was promised must stay as it is until the step is done.
   */
  (tokens: readonly number[]): LogitsInput | Promise<LogitsInput>;
  readonly identity?: ModelIdentity | undefined;
}
