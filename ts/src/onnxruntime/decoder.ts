import { SamplerError } from '../errors.js';
import { windowStart } from './context-window.js';
import { reasonOf } from './load-failed.js';
import { scheduleOf, type Schedule, type Text } from './schedule.js';
import type { Past, ModelRow, Session } from './session.js';
import type { Memory } from './snapshot.js';

/** A text that was evaluated, and what is kept of it so that its continuation need not begin anew. */
interface KnownText extends Omit<Memory, 'data'> {
  readonly past: Past;
  /** So many of the last tokens are guesses: a text that goes on otherwise from there is the same one. */
  readonly guesses: number;
}

/** So many texts can take turns, as branches and batches do, before one has to be evaluated from its start again. */
const mostTexts = 8;

/**
 * Turns texts into rows of logits and evaluates only what it has not yet seen of them.
 *
 * A row is the same bits whether its text came token by token, at once, or after another that begins like it. An
 * invariant model gives them anyhow; any other is called by the one schedule, and what is known of a text goes on only
 * where the schedule would have made the same calls.
 *
 * It does one thing at a time: what is asked of it must be done before the next.
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
   * @param count so many rows: those after the last tokens but some as well, of an invariant model alone
   * Rejects with a SamplerError MODEL_FAILED; the text is forgotten then, and the next try begins at its start
   */
  async evaluate(text: Text, count = 1): Promise<readonly ModelRow[]> {
    const together = this.#sameWindow(text.tokens.length, count);
    const rows = await this.#lastRows(text, together);
    if (rows.length === count) return rows;
    const tokens = text.tokens.slice(0, text.tokens.length - rows.length);
    return [...(await this.evaluate({ ...text, tokens }, count - rows.length)), ...rows];
  }

  /** How many of the last rows of a text are of the part of it that the model sees at its end. */
  #sameWindow(length: number, count: number): number {
    const start = windowStart(length, this.#contextLength);
    let same = 1;
    while (same < count && windowStart(length - same, this.#contextLength) === start) ++same;
    return same;
  }

  /** As many as are wanted, or only the last. */
  #lastRows(text: Text, count: number): Promise<readonly ModelRow[]> {
    const { window, first } = this.#scheduleOf(text);
    return inRuntime(async () => {
      const past = await this.#take(window, first, count);
      try {
        const rest = window.slice(past.length);
        const { rows, present } = await this.#session.run(
          rest,
          past,
          this.#callsOf(rest.length, past.length === 0 ? first : 1),
          count,
        );
        this.#keep({ tokens: window, first, past: present, guesses: count - 1 });
        return rows;
      } finally {
        this.#session.release(past);
      }
    });
  }

  /**
   * The keys and values of as much of the text as is known. Rejects with a SamplerError MODEL_FAILED.
   */
  async recall(text: Text): Promise<Memory | undefined> {
    const { window, first } = this.#scheduleOf(text);
    const { known, length } = this.#find(window, first);
    if (known === undefined) return undefined;
    return inRuntime(async () => {
      const past = await this.#session.resized(known.past, length);
      try {
        return { tokens: window.slice(0, length), first, data: await this.#session.bytesOf(past) };
      } finally {
        this.#session.release(past);
      }
    });
  }

  /**
   * Takes keys and values that this very model recalled once; false where they are no such. Rejects with a SamplerError
   * MODEL_FAILED.
   */
  async remember({ tokens, first, data }: Memory): Promise<boolean> {
    const past = await inRuntime(() => this.#session.pastOf(data, tokens.length));
    if (past === undefined) return false;
    this.#keep({ tokens, first, past, guesses: 0 });
    return true;
  }

  /** Whether the runtime is as it should be. */
  get sound(): boolean {
    return this.#session.sound;
  }

  /** Frees what it has in the runtime. */
  dispose(): void {
    for (const { past } of this.#texts.splice(0)) this.#session.release(past);
    this.#session.dispose();
  }

  #scheduleOf(text: Text): Schedule {
    const { window, first } = scheduleOf(text, this.#contextLength);
    return { window, first: this.#invariant ? 0 : first };
  }

  #keep(text: KnownText): void {
    this.#texts.push(text);
    for (const { past } of this.#texts.splice(0, this.#texts.length - mostTexts)) this.#session.release(past);
  }

  /** Where the calls end that evaluate so many tokens. */
  #callsOf(count: number, first: number): readonly number[] {
    if (this.#invariant) return [count];
    return Array.from({ length: count - first + 1 }, (_, index) => first + index);
  }

  /** The past of as much of the window as is known; never of its last tokens, whose rows are wanted. */
  async #take(window: readonly number[], first: number, count: number): Promise<Past> {
    const { known, length } = this.#find(window.slice(0, -count), first);
    if (known === undefined) return this.#session.begin();
    const past = length < known.tokens.length ? await this.#session.resized(known.past, length) : known.past;
    // One that continues otherwise stays, for whoever comes back to it.
    if (length < known.tokens.length - known.guesses) return past;
    this.#texts.splice(this.#texts.indexOf(known), 1);
    if (past !== known.past) this.#session.release(known.past);
    return past;
  }

  /** The known text that shares most with these tokens, and how much. */
  #find(tokens: readonly number[], first: number): { readonly known: KnownText | undefined; readonly length: number } {
    let best: { known: KnownText | undefined; length: number } = { known: undefined, length: 0 };
    for (const known of this.#texts) {
      const length = sharedLength(known.tokens, tokens);
      if (known.first !== first || length < first) continue;
      // Of texts that share the same, the one that goes on from there.
      if (length > best.length || (length === best.length && length === known.tokens.length)) best = { known, length };
    }
    return best;
  }
}

function sharedLength(a: readonly number[], b: readonly number[]): number {
  const difference = a.findIndex((token, index) => token !== b[index]);
  return difference === -1 ? a.length : difference;
}

async function inRuntime<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw new SamplerError('MODEL_FAILED', { detail: reasonOf(thrown), cause: thrown });
  }
}
