import { SamplerError } from '../errors.js';
import { windowStart } from './context-window.js';
import { reasonOf } from './load-failed.js';
import type { Past, Session } from './session.js';

/** A text that was evaluated, and what is kept of it so that its continuation need not begin anew. */
interface KnownText {
  readonly tokens: readonly number[];
  readonly past: Past;
}

/** So many texts can take turns, as branches and batches do, before one has to be evaluated from its start again. */
const mostTexts = 8;

/**
 * Turns texts into rows of logits and evaluates only what it has not yet seen of them.
 *
 * Presumes a model whose rows do not depend on how a text was divided; then a row is the same bits whether its text came
 * token by token, at once, or after another that begins like it.
 */
export class Decoder {
  readonly #session: Session;
  readonly #contextLength: number;
  /** The most recently evaluated last. */
  readonly #texts: KnownText[] = [];

  constructor(session: Session, contextLength: number) {
    this.#session = session;
    this.#contextLength = contextLength;
  }

  /**
   * The logits of the token that comes after these, at least one.
   * @throws SamplerError MODEL_FAILED; the text is forgotten then, and the next try begins at its start
   */
  evaluate(tokens: readonly number[]): Float32Array<ArrayBuffer> {
    const window = tokens.slice(windowStart(tokens.length, this.#contextLength));
    try {
      const past = this.#take(window);
      try {
        const { row, present } = this.#session.run(window.slice(past.length), past);
        this.#texts.push({ tokens: window, past: present });
        for (const { past } of this.#texts.splice(0, this.#texts.length - mostTexts)) this.#session.release(past);
        return row;
      } finally {
        this.#session.release(past);
      }
    } catch (thrown) {
      throw new SamplerError('MODEL_FAILED', { detail: reasonOf(thrown), cause: thrown });
    }
  }

  /** The past of as much of the window as is known; never of all, since the last token's row is wanted. */
  #take(window: readonly number[]): Past {
    const most = window.slice(0, -1);
    let best = { index: -1, length: 0 };
    this.#texts.forEach(({ tokens }, index) => {
      const length = sharedLength(tokens, most);
      // Of texts that share the same, the one that goes on from there.
      if (length > best.length || (length === best.length && length === tokens.length)) best = { index, length };
    });
    const text = this.#texts[best.index];
    if (text === undefined) return this.#session.begin();
    // One that continues otherwise stays, for whoever comes back to it.
    if (best.length < text.tokens.length) return this.#session.cut(text.past, best.length);
    this.#texts.splice(best.index, 1);
    return text.past;
  }
}

function sharedLength(a: readonly number[], b: readonly number[]): number {
  const difference = a.findIndex((token, index) => token !== b[index]);
  return difference === -1 ? a.length : difference;
}
