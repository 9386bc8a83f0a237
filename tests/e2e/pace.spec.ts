// How long the page keeps a writer waiting, in words: npm run test:pace, on a machine that does nothing else.
import type { Page } from '@playwright/test';
import { expect, test } from './quillmate.js';

/** From now on the page notes its long tasks: those of 50 milliseconds and more, in which it answers nothing. 49 stands for none. */
async function watch(page: Page): Promise<{ longest: () => Promise<number> }> {
  const tasks = await page.evaluateHandle(() => {
    const durations: number[] = [];
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) durations.push(duration);
    }).observe({ type: 'longtask' });
    return durations;
  });
  return { longest: () => tasks.evaluate((durations) => Math.max(49, ...durations)) };
}

test('a library of 200 novels of 50,000 words opens and is searched without a pause', async ({ quillmate }) => {
  const { page, library } = quillmate;
  await quillmate.open();
  await quillmate.isIn('ready');
  await quillmate.isKept();
  await page.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => {
          resolve(request.result);
        };
        request.onerror = () => {
          reject(new Error('not done', { cause: request.error }));
        };
      });
    const database = await done(indexedDB.open('quillmate'));
    const text = `${'All the leaves were brown that year. '.repeat(20)}\n\n`.repeat(357);
    for (let n = 0; n < 200; n += 1) {
      const transaction = database.transaction(['stories', 'summaries'], 'readwrite');
      const data = { title: `Novel ${n}`, opening: 'All', words: 50_001, deletedAt: null };
      const summary = { id: `novel-${n}`, version: 1, revision: 1, createdAt: n, updatedAt: n, data };
      const last = n === 0 ? 'The needle is here.' : '';
      transaction.objectStore('stories').put({ ...summary, text: text + last, state: null });
      await done(transaction.objectStore('summaries').put(summary));
    }
    database.close();
  });
  await page.reload();
  await quillmate.isIn('ready');
  const { longest } = await watch(page);
  await page.getByRole('button', { name: 'Stories' }).click();
  await expect(library.locator('.story-item')).toHaveCount(200);
  const listed = await longest();
  await library.getByRole('searchbox').fill('needle is');
  await expect(library.getByRole('status')).toHaveText('Found in 1 story.');
  const searched = await longest();
  await library.getByRole('button', { name: /^Novel 0/ }).click();
  await expect(quillmate.story).toContainText('The needle is here.');
  const opened = await longest();
  console.log(`longest task: ${listed} ms to list 200 novels, ${searched} to search them, ${opened} to open one`);
});

test('typing waits no longer while the machine writes', async ({ quillmate }) => {
  const { page } = quillmate;
  const words = 'It was said in the village that nobody had ever seen her by day. ';
  const longestWhileTyping = async (): Promise<number> => {
    await quillmate.story
      .locator('p')
      .first()
      .click({ position: { x: 1, y: 8 } });
    await page.keyboard.press('Home');
    const { longest } = await watch(page);
    await page.keyboard.type(words, { delay: 30 });
    return longest();
  };
  await quillmate.open();
  await quillmate.isIn('ready');
  const resting = await longestWhileTyping();
  await quillmate.length.fill('400');
  await quillmate.story.press('Control+End');
  await quillmate.continue.click();
  await quillmate.hasWritten(5);
  const writing = await longestWhileTyping();
  await quillmate.isIn('writing');
  await quillmate.stop.click();
  await quillmate.isIn('ready');
  expect((await quillmate.text()).startsWith(words.repeat(2))).toBe(true);
  console.log(`longest task while letters were typed: ${resting} ms, and ${writing} ms while the machine wrote, too`);
});
