import type { Store } from 'quillmate-sampler/store';

/** Long enough for a page that is being reloaded to let go, short enough to explain a page that waits. */
const patience = 500;

/**
 * Waits until this tab is the only one that may write the story; it stays so until the returned function is called or
 * the tab goes away. `elsewhere` is called when another tab has the story open and this one has to wait for it.
 * @param signal gives the waiting up
 */
export async function becomeSoleWriter(
  store: Store,
  id: string,
  signal: AbortSignal,
  elsewhere: () => void,
): Promise<() => void> {
  const waiting = setTimeout(elsewhere, patience);
  try {
    return await store.hold(id, { signal });
  } finally {
    clearTimeout(waiting);
  }
}

/** For a change to a story that is not open here; null when another tab has it open. */
export async function holdBriefly(store: Store, id: string): Promise<(() => void) | null> {
  const signal = AbortSignal.timeout(patience);
  try {
    return await store.hold(id, { signal });
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}
