import { openStore, type Store } from 'quillmate-sampler/store';
import { findText } from './find-text';
import type { LibraryAnswer, LibraryRequest } from './library-requests';

/** Of the searches the newest counts. */
let newestSearch = 0;

function answer(message: LibraryAnswer): void {
  postMessage(message);
}

async function search(store: Store, id: number, query: string): Promise<void> {
  for (const { id: story } of await store.list()) {
    if (id !== newestSearch) return;
    const text = (await store.load(story))?.text ?? '';
    const excerpt = findText(text, query);
    if (excerpt) answer({ id, kind: 'hit', hit: { story, excerpt } });
  }
  answer({ id, kind: 'searched' });
}

async function obey(request: LibraryRequest): Promise<void> {
  const { id } = request;
  if (request.kind === 'search') newestSearch = id;
  const store = await openStore();
  try {
    switch (request.kind) {
      case 'search':
        await search(store, id, request.query);
        break;
      case 'export':
        answer({ id, kind: 'exported', file: new Blob([await store.exportAll()], { type: 'application/json' }) });
        break;
      case 'import':
        answer({ id, kind: 'imported', stories: await store.importAll(request.text) });
        break;
    }
  } finally {
    store.close();
  }
}

addEventListener('message', ({ data }: MessageEvent<LibraryRequest>) => {
  obey(data).catch((error: unknown) => {
    answer({ id: data.id, kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  });
});
