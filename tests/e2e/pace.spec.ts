// How long the page keeps a writer waiting, in words: npm run test:pace, on a machine that does nothing else.
import { chromium, type Page } from '@playwright/test';
import { launchOptions } from '../../scripts/chromium.mjs';
import { expect, Quillmate, test } from './quillmate.js';

/** In milliseconds since a visit began. */
interface Visit {
  story?: number;
  model?: number;
}

/** From now on the page notes its long tasks: those of 50 milliseconds and more, in which it answers nothing. */
async function watch(page: Page): Promise<{ longest: () => Promise<string> }> {
  const tasks = await page.evaluateHandle(() => {
    const durations: number[] = [];
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) durations.push(duration);
    }).observe({ type: 'longtask' });
    return durations;
  });
  const longest = () => tasks.evaluate((durations) => Math.max(0, ...durations));
  // Without this, none would be noted on a page that tells of none, too.
  await page.evaluate(() => {
    setTimeout(() => {
      const end = performance.now() + 60;
      while (performance.now() < end);
    });
  });
  await expect.poll(longest).toBeGreaterThanOrEqual(60);
  await tasks.evaluate((durations) => durations.splice(0));
  return {
    longest: async () => {
      const duration = await longest();
      return duration === 0 ? 'none of 50 ms' : `${duration} ms`;
    },
  };
}

test('the story is there at once on a later visit, and the model soon', async ({ address }, testInfo) => {
  const visit = async (): Promise<string> => {
    const browser = await chromium.launchPersistentContext(testInfo.outputPath('profile'), launchOptions);
    const page = await browser.newPage();
    await page.addInitScript(() => {
      const seen: Visit = {};
      new MutationObserver(() => {
        if (document.querySelector('.story[contenteditable=true]')) seen.story ??= performance.now();
        if (document.querySelector('.page[data-phase=ready]')) seen.model ??= performance.now();
      }).observe(document, { subtree: true, childList: true, attributes: true });
      Object.assign(window, { seen });
    });
    await page.goto(address);
    await new Quillmate(page).isIn('ready');
    await page.evaluate(() => navigator.serviceWorker.ready);
    const { story = NaN, model = NaN } = await page.evaluate(() => (window as unknown as { seen: Visit }).seen);
    await browser.close();
    return `${Math.round(story)} ms (${Math.round(model)} ms)`;
  };
  const first = await visit();
  const later: string[] = [];
  for (let n = 0; n < 5; n += 1) later.push(await visit());
  console.log(`until the story takes letters (and the model is ready): ${first} at first, then ${later.join(', ')}`);
});

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
  console.log(
    `longest task: ${listed} to list 200 novels, ${searched} with searching them, ${opened} with opening one`,
  );
});

test('typing waits no longer while the machine writes', async ({ quillmate }) => {
  const { page } = quillmate;
  const words = 'It was said in the village that nobody had ever seen her by day. ';
  const longestWhileTyping = async (): Promise<string> => {
    await quillmate.story
      .locator('p')
      .first()
      .click({ position: { x: 1, y: 8 } });
    await page.keyboard.press('Home');
    const { longest } = await watch(page);
    await page.keyboard.type(words, { delay: 20 });
    return longest();
  };
  await quillmate.open();
  await quillmate.isIn('ready');
  const resting = await longestWhileTyping();
  await quillmate.length.fill('1000');
  await quillmate.story.press('Control+End');
  await quillmate.continue.click();
  await quillmate.hasWritten(5);
  const writing = await longestWhileTyping();
  await quillmate.isIn('writing');
  await quillmate.stop.click();
  await quillmate.isIn('ready');
  expect((await quillmate.text()).startsWith(words.repeat(2))).toBe(true);
  console.log(`longest task while letters were typed: ${resting}, and ${writing} while the machine wrote, too`);
});
