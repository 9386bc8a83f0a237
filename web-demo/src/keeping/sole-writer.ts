import type { Store } from 'quillmate-sampler/store';

/** Long enough for a page that is being reloaded to let go, short enough to explain a page that waits. */
const patience = 500;

/**
 * Waits until this tab is the only one that may write the story; it stays so until it goes away.
 * `elsewhere` is called when another tab has the story open and this one has to wait for it.
 */
export async function becomeSoleWriter(store: Store, id: string, elsewhere: () => void): Promise<void> {
  const waiting = setTimeout(elsewhere, patience);
  try {
    await store.hold(id);
  } finally {
    clearTimeout(waiting);
  }
}
