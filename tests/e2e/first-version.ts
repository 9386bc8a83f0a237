import type { Page } from '@playwright/test';
import { readFile } from 'node:fs/promises';

interface Kept {
  readonly version: number;
  readonly stories: readonly unknown[];
}

/** Makes the database as the version of this page with a single story left it; first-version.json was read from it. */
export async function putFirstVersion(page: Page): Promise<void> {
  // A page of this origin that does nothing.
  await page.route('**/empty.html', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<link rel="icon" href="data:,">' }),
  );
  await page.goto('./empty.html');
  const kept = JSON.parse(await readFile(new URL('first-version.json', import.meta.url), 'utf8')) as Kept;
  await page.evaluate(
    ({ version, stories }) =>
      new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open('quillmate', version);
        opening.onupgradeneeded = () => {
          const store = opening.result.createObjectStore('stories', { keyPath: 'id' });
          opening.result.createObjectStore('snapshots');
          for (const story of stories) store.put(story);
        };
        opening.onsuccess = () => {
          opening.result.close();
          resolve();
        };
        opening.onerror = () => {
          reject(new Error('it was not made', { cause: opening.error }));
        };
      }),
    kept,
  );
}
