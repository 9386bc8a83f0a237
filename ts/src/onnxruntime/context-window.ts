/**
 * Where the part of a text begins that the model sees. All of it, while it fits into the context; after that the oldest
 * tokens are dropped a quarter of a context at a time, so that most steps find the window where it was.
 *
 * It depends on the two lengths and on nothing else: whoever comes to the same token, in the same run, in a resumed one
 * or on a branch, sees the same window.
 */
export function windowStart(tokenCount: number, contextLength: number): number {
  const chunk = chunkOf(contextLength);
  return Math.ceil(Math.max(0, tokenCount - contextLength) / chunk) * chunk;
}

/** How many tokens a text has when its window first begins at `start`, a result of {@link windowStart}. */
export function windowMoved(start: number, contextLength: number): number {
  return start === 0 ? 1 : start - chunkOf(contextLength) + contextLength + 1;
}

const chunkOf = (contextLength: number): number => Math.max(1, Math.floor(contextLength / 4));
