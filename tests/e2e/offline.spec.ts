import { chromium, type BrowserContext, type Page } from '@playwright/test';
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, preview, type PreviewServer } from 'vite';
import { launchOptions } from '../../scripts/chromium.mjs';
import { expect, Quillmate, test as base } from './quillmate.js';

const root = fileURLToPath(new URL('../../web-demo', import.meta.url));

/** A browser whose profile outlives it, and a server that can be stopped. */
class Reader {
  readonly #profile: string;
  readonly strangers: string[] = [];

  constructor(profile: string) {
    this.#profile = profile;
  }

  async open(): Promise<BrowserContext> {
    const browser = await chromium.launchPersistentContext(this.#profile, launchOptions);
    browser.on('request', (request) => {
      const { hostname } = new URL(request.url());
      if (hostname !== '127.0.0.1') this.strangers.push(request.url());
    });
    return browser;
  }
}

const test = base.extend<{ folder: string }>({
  // eslint-disable-next-line no-empty-pattern -- Playwright reads the names of the fixtures from the pattern
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'quillmate-offline-'));
    await use(folder);
    await rm(folder, { recursive: true });
  },
});

const serve = (outDir: string): Promise<PreviewServer> =>
  preview({ root, build: { outDir }, preview: { host: '127.0.0.1', port: 0 }, logLevel: 'error' });

const addressOf = (server: PreviewServer): string => server.resolvedUrls?.local[0] ?? 'the server has no address';

/** Everything that the build made is kept. */
async function isInstalled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const { active } = await navigator.serviceWorker.ready;
    if (active?.state === 'activated') return;
    await new Promise<void>((resolve) => {
      active?.addEventListener('statechange', () => {
        if (active.state === 'activated') resolve();
      });
    });
  });
}

/** The files of a kind in all of the page's caches. */
const cached = (page: Page, ending: string): Promise<string[]> =>
  page.evaluate(async (ending) => {
    const names = await caches.keys();
    const lists = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    return lists.flat().flatMap(({ url }) => (new URL(url).pathname.endsWith(ending) ? [url] : []));
  }, ending);

test('after one visit everything works without a network, after a restart of the browser and by a deep link', async ({
  folder,
}) => {
  const reader = new Reader(join(folder, 'profile'));
  const server = await serve('dist');
  const address = addressOf(server);
  const sent: string[] = [];
  server.httpServer.on('request', ({ url = '' }: IncomingMessage, response: ServerResponse) => {
    response.on('finish', () => {
      if (response.statusCode === 200) sent.push(url);
    });
  });

  const online = await reader.open();
  const first = new Quillmate(await online.newPage());
  await first.page.goto(address);
  await first.isIn('ready');
  await first.length.fill('30');
  const written = await first.continueToTheEnd();
  await first.isKept();
  await isInstalled(first.page);
  expect(await cached(first.page, '.onnx')).toHaveLength(1);
  // What is large is sent once, though both the page and its service worker ask for it.
  for (const large of ['.onnx', 'tokenizer.json', '.wasm']) {
    const files = sent.filter((url) => url.endsWith(large));
    expect(files).not.toEqual([]);
    expect(new Set(files).size).toBe(files.length);
  }
  await online.close();
  await server.close();

  const offline = await reader.open();
  await offline.setOffline(true);
  const second = new Quillmate(await offline.newPage());
  await second.page.goto(address);
  await second.isIn('ready');
  expect(await second.text()).toBe(written);
  expect(await second.regenerateToTheEnd()).toBe(written);
  const fonts = () => document.fonts.load('1rem "Literata Variable"').then((faces) => faces.map((face) => face.status));
  expect(await second.page.evaluate(fonts)).toEqual(['loaded']);

  const provenance = second.page.getByRole('link', { name: 'Where the model comes from' });
  await second.page.goto((await provenance.getAttribute('href')) ?? '');
  await expect(second.page.locator('body')).toContainText('quill-tales');
  await second.page.goto(`${address}explorer?logits=1,2,3&length=2`);
  await expect(second.page.locator('.drawn').first()).toHaveText(/^#\d #\d $/);
  await second.page.goto(`${address}a-story?from=a-link#there`);
  await second.isIn('ready');
  await offline.close();
  expect(reader.strangers).toEqual([]);
});

test('a newer build is offered, and starts when the reader says so and the machine has finished', async ({
  folder,
}) => {
  const [served, newer] = [join(folder, 'served'), join(folder, 'newer')];
  await cp(join(root, 'dist'), served, { recursive: true });
  await build({
    root,
    logLevel: 'error',
    build: { outDir: newer },
    plugins: [{ name: 'newer', transformIndexHtml: (html) => html.replace('<html', '<html data-build="newer"') }],
  });
  const server = await serve(served);
  const browser = await new Reader(join(folder, 'profile')).open();
  const quillmate = new Quillmate(await browser.newPage());
  const { page } = quillmate;
  const shown = (): Promise<string | undefined> => page.evaluate(() => document.documentElement.dataset.build);
  const start = page.getByRole('button', { name: 'Start it now' });
  await page.goto(addressOf(server));
  await quillmate.isIn('ready');
  await isInstalled(page);
  await expect(start).toBeHidden();

  // The browser looks for a newer worker by itself, too: it must find one of the two builds.
  await rename(served, join(folder, 'older'));
  await rename(newer, served);
  await quillmate.length.fill('1000');
  const release = await quillmate.holdAt(1, () => quillmate.continue.click());
  await page.evaluate(async () => (await navigator.serviceWorker.ready).update());
  await expect(start).toBeVisible();
  await quillmate.isIn('writing');
  await expect(start).toHaveAccessibleDescription('It can start when the machine has finished.');
  await start.click({ force: true }); // as a writer may, whom nothing keeps from it
  await release();
  await quillmate.hasWritten((await quillmate.written()) + 1);
  await quillmate.stop.click();
  await quillmate.isIn('ready');
  await quillmate.isKept();
  const written = await quillmate.text();

  await page.reload();
  await quillmate.isIn('ready');
  expect(await shown()).toBeUndefined();
  const loaded = page.waitForEvent('load');
  await start.click();
  await loaded;
  expect(await shown()).toBe('newer');
  await quillmate.isIn('ready');
  expect(await quillmate.text()).toBe(written);
  await expect(start).toBeHidden();
  await browser.close();
  await server.close();
});
