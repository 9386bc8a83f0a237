import { windowMoved, windowStart } from './context-window.js';

/** A text, and how much of it is its prompt. */
export interface Text {
  /** At least one. */
  readonly tokens: readonly number[];
  /** From 0 to the number of tokens: so many came before the first drawn token. */
  readonly promptLength: number;
}

/** In which calls a model evaluates what it sees of a text. */
export interface Schedule {
  /** What the model sees of the text: its end. */
  readonly window: readonly number[];
  /** The first call takes so many tokens of the window, each later one a single token. At least 1. */
  readonly first: number;
}

/**
 * The one schedule, for models whose rows depend on how a text was divided: the prompt in one call, then token by token;
 * when the window moves, all that is in it in one call, then token by token again.
 *
 * It depends on the lengths of the text, of its prompt and of the context alone: a first run, a regenerated, a resumed and
 * a branched one make the same calls for the same token, and so see the same bits.
 */
export function scheduleOf({ tokens, promptLength }: Text, contextLength: number): Schedule {
  const start = windowStart(tokens.length, contextLength);
  const atOnce = Math.min(Math.max(promptLength, windowMoved(start, contextLength)), tokens.length);
  return { window: tokens.slice(start), first: atOnce - start };
}
