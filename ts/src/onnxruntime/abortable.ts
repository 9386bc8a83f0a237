/** Settles as the work does; as soon as the signal aborts it rejects instead, with the error. */
export function abortable<T>(signal: AbortSignal | undefined, error: () => Error, work: () => Promise<T>): Promise<T> {
  if (signal === undefined) return work();
  return new Promise((resolve, reject) => {
    if (signal.aborted) throw error();
    const abort = (): void => {
      reject(error());
    };
    signal.addEventListener('abort', abort);
    void work()
      .then(resolve, reject)
      .finally(() => {
        signal.removeEventListener('abort', abort);
      });
  });
}
