import { readFile } from 'node:fs/promises';
import { expect, test } from './quillmate.js';

test.describe('a model that does not load', () => {
  test.use({ expectedComplaints: /Failed to load resource/ });

  test('is reported, leaves the story usable, and can be tried again', async ({ quillmate }) => {
    const { page } = quillmate;
    await page.route('**/model_quantized.onnx', (route) => route.abort());
    await quillmate.open();
    await quillmate.isIn('failed');
    const notice = page.getByRole('alert');
    await expect(notice).toContainText('The model could not be loaded.');

    await quillmate.story.press('Control+End');
    await quillmate.story.pressSequentially(' Hello.');
    await quillmate.isKept();
    await page.unroute('**/model_quantized.onnx');
    await notice.getByRole('button', { name: 'Try again' }).click();
    await quillmate.isIn('ready');
    await expect(notice).toHaveCount(0);
    expect(await quillmate.continueToTheEnd()).toContain(' Hello.');
  });

  test('is reported when the sampler’s own WebAssembly is missing', async ({ quillmate }) => {
    await quillmate.page.route(/quillmate.*\.wasm/, (route) => route.fulfill({ status: 404 }));
    await quillmate.open();
    await quillmate.isIn('failed');
    await expect(quillmate.page.getByRole('alert')).toContainText('The model could not be loaded.');
  });
});

test('a model that has arrived and is not awake yet does not look as if nothing were happening', async ({
  quillmate,
}) => {
  const { page } = quillmate;
  const bar = page.getByRole('progressbar');
  let wake = (): void => undefined;
  const awake = new Promise<void>((resolve) => (wake = resolve));
  await page.route('**/ort-wasm*.wasm', async (route) => {
    await awake;
    await route.continue();
  });
  await quillmate.open();
  await expect(quillmate.status).toContainText('Waking the model.');
  await expect(bar).not.toHaveAttribute('value');
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await expect(bar).toBeHidden();
  wake();
  await quillmate.isIn('ready');
});

test('a browser without a usable store is reported, and the page writes all the same', async ({ quillmate }) => {
  await quillmate.page.addInitScript(() => {
    IDBFactory.prototype.open = () => {
      throw new DOMException('refused', 'SecurityError');
    };
  });
  await quillmate.open();
  await expect(quillmate.page.getByRole('alert')).toContainText('does not give access to your saved story');
  await quillmate.isIn('ready');
  await quillmate.story.click();
  await quillmate.story.pressSequentially('Once there was a king');
  await quillmate.length.fill('20');
  expect(await quillmate.continueToTheEnd()).toContain('Once there was a king');
});

test('a save that fails is reported, keeps the text on the page, and can be repeated', async ({ quillmate }) => {
  const { page } = quillmate;
  await quillmate.open();
  await quillmate.isIn('ready');
  await page.evaluate(() => {
    // eslint-disable-next-line @typescript-eslint/unbound-method -- called on an object store again
    const put = IDBObjectStore.prototype.put;
    IDBObjectStore.prototype.put = function (...args) {
      if (document.title === 'full') throw new DOMException('The disk is full', 'QuotaExceededError');
      return put.apply(this, args);
    };
    document.title = 'full';
  });
  await quillmate.length.fill('20');
  const written = await quillmate.continueToTheEnd();
  const notice = page.getByRole('alert');
  await expect(notice).toContainText('could not be saved');
  const download = page.waitForEvent('download');
  await notice.getByRole('button', { name: 'Save it as a file' }).click();
  expect(await readFile(await (await download).path(), 'utf8')).toBe(`${written}\n`);

  await page.evaluate(() => (document.title = 'room again'));
  await notice.getByRole('button', { name: 'Save again' }).click();
  await expect(notice).toHaveCount(0);
  await quillmate.isKept();
  await page.reload();
  await expect.poll(() => quillmate.text()).toBe(written); // before the model is there
});

test('a story that cannot be read leaves the one that is open where it is, and saved', async ({ quillmate }) => {
  const { page, library } = quillmate;
  await quillmate.open();
  await quillmate.isIn('ready');
  await quillmate.story.press('Control+End');
  await quillmate.story.pressSequentially(' First.');
  await quillmate.isKept();
  await page.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open('quillmate');
        opening.onsuccess = () => {
          const transaction = opening.result.transaction(['stories', 'summaries'], 'readwrite');
          const record = { id: 'later', version: 1, revision: 1, createdAt: 1, updatedAt: 1 };
          const data = { title: 'From a later version', opening: '', words: 1, deletedAt: null };
          transaction.objectStore('summaries').put({ ...record, data });
          transaction.objectStore('stories').put({ ...record, version: 2 });
          transaction.oncomplete = () => {
            opening.result.close();
            resolve();
          };
        };
        opening.onerror = () => {
          reject(new Error('it was not opened', { cause: opening.error }));
        };
      }),
  );
  await page.getByRole('button', { name: 'Stories' }).click();
  await library.getByRole('button', { name: 'From a later version' }).first().click();
  await expect(page.getByRole('alert')).toContainText('has version 2');
  await expect(quillmate.story).toContainText('First.');
  await quillmate.story.press('Control+End');
  await quillmate.story.pressSequentially(' Second.');
  await quillmate.isKept();
  await page.reload();
  await expect(quillmate.story).toContainText('First. Second.');
});

test('a database that the browser deletes under the page is reported, and the story outlives it', async ({
  quillmate,
  context,
}) => {
  const { page } = quillmate;
  await quillmate.open();
  await quillmate.isIn('ready');
  await quillmate.isKept();
  await page.evaluate(async () => {
    const deletion = indexedDB.deleteDatabase('quillmate');
    await new Promise<void>((resolve, reject) => {
      deletion.onsuccess = () => {
        resolve();
      };
      deletion.onerror = () => {
        reject(new Error('it was not deleted', { cause: deletion.error }));
      };
    });
  });

  await quillmate.length.fill('20');
  const written = await quillmate.continueToTheEnd();
  const notice = page.getByRole('alert');
  await expect(notice).toContainText('could not be saved');
  expect(await quillmate.text()).toBe(written);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await notice.getByRole('button', { name: 'Copy the story' }).click();
  await expect(notice.getByRole('button', { name: 'Copied' })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(written);

  const download = page.waitForEvent('download');
  await notice.getByRole('button', { name: 'Save it as a file' }).click();
  expect(await readFile(await (await download).path(), 'utf8')).toBe(`${written}\n`);

  await notice.getByRole('button', { name: 'Save again' }).click();
  await expect(notice).toHaveCount(0);
  await quillmate.isKept();
  await page.reload();
  await expect.poll(() => quillmate.text()).toBe(written); // before the model is there
});

test.describe('foreign code', () => {
  test.use({ expectedComplaints: /Content Security Policy/ });

  test('is refused: the policy allows the page’s own files and WebAssembly only', async ({ quillmate, request }) => {
    const { page } = quillmate;
    const response = await request.get('./');
    const header = response.headers()['content-security-policy'] ?? '';
    expect(header).toContain("default-src 'self'");
    expect(header).not.toMatch(/'unsafe-/);

    await quillmate.open();
    await quillmate.isIn('ready');
    const refused = await page.evaluate(async () => {
      const script = document.createElement('script');
      script.textContent = 'document.documentElement.dataset.ran = "inline"';
      document.head.append(script);
      // What a debugger evaluates may evaluate strings; a later task of the page itself may not.
      const evaluated = await new Promise<string>((resolve) =>
        setTimeout(() => {
          try {
            // eslint-disable-next-line @typescript-eslint/no-implied-eval -- what the policy is to refuse
            resolve(typeof new Function('return 1'));
          } catch (error) {
            resolve((error as Error).name);
          }
        }),
      );
      return { inline: document.documentElement.dataset.ran ?? 'refused', evaluated };
    });
    expect(refused).toEqual({ inline: 'refused', evaluated: 'EvalError' });
  });
});
