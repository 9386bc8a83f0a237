/**
 * Waits until nobody else on this origin holds the story, in this tab or another, and holds it until the returned
 * function is called or the tab goes away. Where there are no Web Locks it is held at once: then the revisions that
 * {@link Store.save} checks are what keeps two tabs apart.
 */
export async function holdStory(database: string, id: string, signal: AbortSignal | undefined): Promise<() => void> {
  if (!('locks' in navigator)) return () => undefined;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await new Promise<void>((resolve, reject) => {
    const held = (): Promise<void> => {
      resolve();
      return released;
    };
    const name = `quillmate-sampler/${database}/${id}`;
    navigator.locks.request(name, signal === undefined ? {} : { signal }, held).catch(reject);
  });
  return release;
}
