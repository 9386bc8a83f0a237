import { SamplerError } from '../errors.js';
import { reasonOf } from './load-failed.js';
import { scheduleOf, type Text } from './schedule.js';
import type { Past, ModelRow, Session } from './session.js';

/** A text that was evaluated, and what is kept of it so that its continuation need not begin anew. */
interface KnownText {
  readonly tokens: readonly number[];
  /** How many tokens its first call had; 0 where that makes no difference. */
  readonly first: number;
  readonly past: Past;
}

/** So many texts can take turns, as branches and batches do, before one has to be evaluated from its start again. */
const mostTexts = 8;

/**
 * Turns texts into rows of logits and evaluates only what it has not yet seen of them.
 *
 * A row is the same bits whether its text came token by token, at once, or after another that begins like it. An
 * invariant model gives them anyhow; any other is called by the one schedule, and what is known of a text goes on only
 * where the schedule would have made the same calls.
 */
export class Decoder {
  readonly #session: Session;
  readonly #contextLength: number;
  readonly #invariant: boolean;
  /** The most recently evaluated last. */
  readonly #texts: KnownText[] = [];

  constructor(session: Session, contextLength: number, invariant: boolean) {
    this.#session = session;
    this.#contextLength = contextLength;
    this.#invariant = invariant;
  }

  /**
   * The logits of the token that comes after the text.
   * @throws SamplerError MODEL_FAILED; the text is forgotten then, and the next try begins at its start
   */
  evaluate(text: Text): ModelRow {
    const { window, first: scheduled } = scheduleOf(text, this.#contextLength);
    const first = this.#invariant ? 0 : scheduled;
    try {
      const past = this.#take(window, first);
      try {
        const rest = window.slice(past.length);
        const { row, present } = this.#session.run(
          rest,
          past,
          this.#callsOf(rest.length, past.length === 0 ? first : 1),
        );
        this.#texts.push({ tokens: window, first, past: present });
        for (const { past } of this.#texts.splice(0, this.#texts.length - mostTexts)) this.#session.release(past);
        return row;
      } finally {
        this.#session.release(past);
      }
    } catch (thrown) {
      throw new SamplerError('MODEL_FAILED', { detail: reasonOf(thrown), cause: thrown });
    }
  }

  /** Where the calls end that evaluate so many tokens. */
  #callsOf(count: number, first: number): readonly number[] {
    if (this.#invariant) return [count];
    return Array.from({ length: count - first + 1 }, (_, index) => first + index);
  }

  /** The past of as much of the window as is known; never of all, since the last token's row is wanted. */
  #take(window: readonly number[], first: number): Past {
    const most = window.slice(0, -1);
    let best = { index: -1, length: 0 };
    this.#texts.forEach((text, index) => {
      const length = sharedLength(text.tokens, most);
      if (text.first !== first || length < first) return;
      // Of texts that share the same, the one that goes on from there.
      if (length > best.length || (length === best.length && length === text.tokens.length)) best = { index, length };
    });
    const text = this.#texts[best.index];
    if (text === undefined) return this.#session.begin();
    // One that continues otherwise stays, for whoever comes back to it.
    if (best.length < text.tokens.length) return this.#session.resized(text.past, best.length);
    this.#texts.splice(best.index, 1);
    return text.past;
  }
}

function sharedLength(a: readonly number[], b: readonly number[]): number {
  const difference = a.findIndex((token, index) => token !== b[index]);
  return difference === -1 ? a.length : difference;
}
