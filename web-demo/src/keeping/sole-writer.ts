/** Long enough for a page that is being reloaded to let go, short enough to explain a page that waits. */
const patience = 500;

/**
 * Waits until this tab is the only one that may write the story; it stays so until it goes away.
 * `elsewhere` is called when another tab has the story open and this one has to wait for it.
 */
export function becomeSoleWriter(elsewhere: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const waiting = setTimeout(elsewhere, patience);
    navigator.locks
      .request('quillmate-story', () => {
        clearTimeout(waiting);
        resolve();
        return new Promise<never>(() => undefined); // the browser takes the lock back when the tab goes
      })
      .catch(reject);
  });
}
