import type { LogitsInput } from '../logits.js';
import type { ModelIdentity, ModelOptions } from '../model.js';

/** A token; logits that it is drawn from with the generator's own settings; or nothing, where there is no idea. */
export type Guess = number | LogitsInput | undefined;

/**
 * Guesses the token that comes after a text, at once or as a promise. Every `Model` is one; so is what `suffixLookup` makes.
 * It must be a pure function of the text: a generator that is resumed asks again.
 */
export interface Draft {
  (tokens: readonly number[], options: ModelOptions): Guess | Promise<Guess>;
  readonly identity?: ModelIdentity | undefined;
}
