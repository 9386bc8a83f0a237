import type { Hit, LibraryAnswer, LibraryRequest } from './library-requests';

type Listener = (answer: LibraryAnswer) => void;

/** The worker that searches, exports and imports. It is started when it is first needed. */
export class LibraryReader {
  #worker: Worker | undefined;
  readonly #listeners = new Map<number, Listener>();
  #lastId = 0;

  /** Tells of each hit; an earlier search that still runs is given up. Resolves at the end, or never for one given up. */
  search(query: string, onHit: (hit: Hit) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#ask({ kind: 'search', query }, (answer) => {
        if (answer.kind === 'hit') onHit(answer.hit);
        else if (answer.kind === 'searched') resolve();
        else if (answer.kind === 'failed') reject(new Error(answer.message));
      });
    });
  }

  exportAll(): Promise<Blob> {
    return new Promise((resolve, reject) => {
      this.#ask({ kind: 'export' }, (answer) => {
        if (answer.kind === 'exported') resolve(answer.file);
        else if (answer.kind === 'failed') reject(new Error(answer.message));
      });
    });
  }

  /** @returns the ids of the stories in the file */
  importAll(text: string): Promise<readonly string[]> {
    return new Promise((resolve, reject) => {
      this.#ask({ kind: 'import', text }, (answer) => {
        if (answer.kind === 'imported') resolve(answer.stories);
        else if (answer.kind === 'failed') reject(new Error(answer.message));
      });
    });
  }

  #ask(request: WithoutId<LibraryRequest>, listener: Listener): void {
    this.#worker ??= this.#start();
    this.#lastId += 1;
    this.#listeners.set(this.#lastId, listener);
    this.#worker.postMessage({ ...request, id: this.#lastId } satisfies LibraryRequest);
  }

  #start(): Worker {
    const worker = new Worker(new URL('./library-worker.ts', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<LibraryAnswer>) => {
      this.#listeners.get(data.id)?.(data);
      if (data.kind !== 'hit') this.#listeners.delete(data.id);
    });
    worker.addEventListener('error', () => {
      for (const [id, listener] of this.#listeners)
        listener({ id, kind: 'failed', message: 'its worker did not start' });
      this.#listeners.clear();
      this.#worker = undefined;
    });
    return worker;
  }
}

type WithoutId<Request> = Request extends unknown ? Omit<Request, 'id'> : never;
