import { expect, test as base, type BrowserContext, type Locator, type Page } from '@playwright/test';
import { fileURLToPath } from 'node:url';
import { preview } from 'vite';

const demo = fileURLToPath(new URL('../../web-demo', import.meta.url));

/** The page as a writer meets it. */
export class Quillmate {
  readonly page: Page;
  readonly story: Locator;
  readonly passage: Locator;
  readonly continue: Locator;
  readonly regenerate: Locator;
  readonly stop: Locator;
  readonly dice: Locator;
  readonly seed: Locator;
  readonly length: Locator;
  readonly status: Locator;

  constructor(page: Page) {
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    this.page = page;
    this.story = page.getByRole('textbox', { name: 'Story' });
    this.passage = page.locator('.passage');
    this.continue = button('Continue');
    this.regenerate = button('Regenerate');
    this.stop = button('Stop');
    this.dice = button('Roll a new seed');
    this.seed = page.getByLabel('Seed', { exact: true });
    this.status = page.locator('.status');
    this.length = page.getByLabel('Tokens to write');
  }

  async open(): Promise<void> {
    await this.page.goto('./');
  }

  async isIn(phase: 'elsewhere' | 'loading' | 'failed' | 'ready' | 'writing'): Promise<void> {
    await expect(this.page.locator('.page')).toHaveAttribute('data-phase', phase);
  }

  /** Everything that happened so far is in the store. */
  async isKept(): Promise<void> {
    await expect(this.page.locator('.page')).toHaveAttribute('data-keeping', 'saved');
  }

  async written(): Promise<number> {
    return Number(await this.page.locator('.page').getAttribute('data-written'));
  }

  /** Waits in the middle of a run until the passage has so many tokens. */
  async hasWritten(tokens: number): Promise<void> {
    await this.page.waitForFunction((least) => {
      const page = document.querySelector<HTMLElement>('.page');
      return page?.dataset.phase === 'writing' && Number(page.dataset.written) >= least;
    }, tokens);
  }

  /** Reloads in the middle of a run, as soon as the passage has so many tokens: sooner than a message from here could. */
  async reloadAt(tokens: number): Promise<void> {
    const loaded = this.page.waitForEvent('load');
    await this.page.evaluate((least) => {
      const page = document.querySelector<HTMLElement>('.page');
      new MutationObserver((_, observer) => {
        if (Number(page?.dataset.written) < least) return;
        observer.disconnect();
        if (page?.dataset.phase === 'writing') location.reload();
      }).observe(document.body, { subtree: true, attributes: true, attributeFilter: ['data-written'] });
    }, tokens);
    await loaded;
  }

  async text(): Promise<string> {
    return this.story.innerText();
  }

  async continueToTheEnd(): Promise<string> {
    await this.run(() => this.continue.click());
    return this.text();
  }

  async regenerateToTheEnd(): Promise<string> {
    await this.run(() => this.regenerate.click());
    return this.text();
  }

  /** Does what begins a run, and waits until that run is over. */
  async run(begin: () => Promise<void>): Promise<void> {
    // The watch is set before the run can begin: a short one may be over before the page answers again.
    const watch = await this.page.evaluateHandle(() => {
      const page = document.querySelector<HTMLElement>('.page');
      let began = false;
      const over = new Promise<void>((resolve) => {
        new MutationObserver(() => {
          if (page?.dataset.phase === 'writing') began = true;
          else if (began) resolve();
        }).observe(document.body, { subtree: true, attributes: true, attributeFilter: ['data-phase'] });
      });
      return { over };
    });
    await begin();
    await watch.evaluate(({ over }) => over);
  }
}

interface Options {
  /** What a test about failures makes the browser complain of. */
  expectedComplaints: RegExp;
}

interface Fixtures {
  quillmate: Quillmate;
  watchedContext: BrowserContext;
}

/** Serves the production build; every test fails when a page complains or asks anything of another origin. */
export const test = base.extend<Options & Fixtures, { address: string }>({
  expectedComplaints: [/(?!)/, { option: true }],

  address: [
    // eslint-disable-next-line no-empty-pattern -- Playwright reads the names of the fixtures from the pattern
    async ({}, use) => {
      const server = await preview({ root: demo, preview: { host: '127.0.0.1', port: 0 }, logLevel: 'error' });
      const address = server.resolvedUrls?.local[0];
      if (address === undefined) throw new Error('the preview server has no address');
      await use(address);
      await server.close();
    },
    { scope: 'worker' },
  ],

  baseURL: async ({ address }, use) => {
    await use(address);
  },

  watchedContext: [
    async ({ context, address, expectedComplaints }, use) => {
      const complaints: string[] = [];
      const strangers: string[] = [];
      const { origin } = new URL(address);
      context.on('request', (request) => {
        if (new URL(request.url()).origin !== origin) strangers.push(request.url());
      });
      context.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
      });
      context.on('weberror', (error) => complaints.push(error.error().message));
      await use(context);
      expect(strangers, 'requests to other origins').toEqual([]);
      const unexpected = complaints.filter((complaint) => !expectedComplaints.test(complaint));
      expect(unexpected, 'complaints in the console').toEqual([]);
    },
    { auto: true },
  ],

  quillmate: async ({ page }, use) => {
    await use(new Quillmate(page));
  },
});

export { expect };
