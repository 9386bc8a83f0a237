import { describe, SamplerError } from '../errors.js';

/** How long a part of the text has to come again. */
export interface SuffixLookupOptions {
  /** So many of the last tokens are looked for, at most. Default 8. */
  readonly longest?: number | undefined;
  /** Ends of fewer tokens than this are not looked for: what follows them is hardly ever right. Default 2. */
  readonly shortest?: number | undefined;
}

/**
 * A draft without a model: the token that came after the last occurrence of the text's end earlier in the text, the longest
 * end that occurs. Names and turns of phrase come again in a story.
 *
 * Throws a SamplerError INVALID_RUN.
 */
export function suffixLookup({ longest = 8, shortest = 2 }: SuffixLookupOptions = {}): (
  tokens: readonly number[],
) => number | undefined {
  const whole = (value: number, from: number): boolean => Number.isInteger(value) && value >= from;
  if (!whole(shortest, 1) || !whole(longest, shortest)) {
    const value = `shortest ${describe(shortest)} and longest ${describe(longest)}`;
    throw new SamplerError('INVALID_RUN', { value, detail: 'use whole numbers from 1, the longest not the smaller' });
  }
  return (tokens) => {
    let best = { length: shortest - 1, end: -1 };
    for (let end = tokens.length - 1; end > best.length && best.length < longest; --end) {
      const length = commonEnd(tokens, end, longest);
      if (length > best.length) best = { length, end };
    }
    return tokens[best.end];
  };
}

/** How many of the tokens before `end` are the last tokens of the text, at most `most`. */
function commonEnd(tokens: readonly number[], end: number, most: number): number {
  let length = 0;
  while (length < most && length < end && tokens[end - 1 - length] === tokens[tokens.length - 1 - length]) ++length;
  return length;
}
