import type { LogitsInput } from './logits.js';

/** What made the numbers, kept in the state: name, hash of the files, runtime, version and the like. */
export type ModelIdentity = Readonly<Record<string, string>>;

/** What a model may need to know of a text beside its tokens. */
export interface ModelOptions {
  /**
   * So many of the tokens are the prompt; the others were drawn one by one. A model whose numbers depend on what it
   * evaluates together can divide the text accordingly, and so find the same numbers when the text comes again.
   */
  readonly promptLength: number;
  /** Whether the row is still wanted: a model that can may give it up and reject. */
  readonly signal?: AbortSignal | undefined;
}

/** A language model: the tokens so far in, the logits of the next token out, at once or as a promise. */
export interface Model {
  /**
   * @param tokens the prompt and all drawn tokens: a copy, the model's to keep
   * @returns one logit per token of the vocabulary. A row that was returned directly is read at once, so that a model
   *   may use one array for all its rows; one that was promised must stay as it is until the step is done.
   */
  (tokens: readonly number[], options: ModelOptions): LogitsInput | Promise<LogitsInput>;
  readonly identity?: ModelIdentity | undefined;
  /**
   * Where the model has it: the rows of the texts that end at each of the last `count` tokens, in that order, of one
   * evaluation. They must be those that the model gives for each of these texts, to the bit, and stay as they are.
   */
  readonly rows?:
    | ((
        tokens: readonly number[],
        count: number,
        options: ModelOptions,
      ) => readonly LogitsInput[] | Promise<readonly LogitsInput[]>)
    | undefined;
}
