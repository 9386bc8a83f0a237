import {
  chromium,
  expect,
  test as base,
  type BrowserContext,
  type ConsoleMessage,
  type Locator,
  type Page,
  type Request,
  type WebError,
} from '@playwright/test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { preview } from 'vite';
import { launchOptions } from '../../scripts/chromium.mjs';

const demo = fileURLToPath(new URL('../../web-demo', import.meta.url));

/** The page as a writer meets it. */
export class Quillmate {
  readonly page: Page;
  readonly story: Locator;
  readonly passage: Locator;
  readonly continue: Locator;
  readonly regenerate: Locator;
  readonly newTake: Locator;
  readonly stop: Locator;
  readonly dice: Locator;
  readonly seed: Locator;
  readonly length: Locator;
  readonly status: Locator;
  readonly library: Locator;

  constructor(page: Page) {
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    this.page = page;
    this.story = page.getByRole('textbox', { name: 'Story' });
    this.passage = page.locator('.passage');
    this.continue = button('Continue');
    this.regenerate = button('Regenerate');
    this.newTake = button('New take');
    this.stop = button('Stop');
    this.dice = button('Roll a new seed');
    this.seed = page.getByLabel('Seed', { exact: true });
    this.status = page.locator('.status');
    this.library = page.getByRole('complementary', { name: 'Stories' });
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

  /**
   * Does what begins a run, and lets the model wait in the middle of it, once the passage has so many tokens, until the
   * returned function is called: however quick the machine is, what comes between happens during the run.
   */
  async holdAt(tokens: number, begin: () => Promise<void>): Promise<() => Promise<void>> {
    const hold = await this.page.evaluateHandle((least) => {
      // eslint-disable-next-line @typescript-eslint/unbound-method -- called on a worker again
      const post = Worker.prototype.postMessage as (this: Worker, ...message: unknown[]) => void;
      const waiting: (() => void)[] = [];
      const held = new Promise<void>((resolve) => {
        Worker.prototype.postMessage = function (...message: unknown[]) {
          const send = (): void => {
            post.apply(this, message);
          };
          const { phase, written } = document.querySelector<HTMLElement>('.page')?.dataset ?? {};
          if (phase !== 'writing' || Number(written) < least) {
            send();
            return;
          }
          waiting.push(send);
          resolve();
        };
      });
      const release = (): void => {
        Worker.prototype.postMessage = post;
        for (const send of waiting) send();
      };
      return { held, release };
    }, tokens);
    await begin();
    await hold.evaluate(({ held }) => held);
    return () =>
      hold.evaluate(({ release }) => {
        release();
      });
  }

  /**
   * Does what begins a run, and reloads in the middle of it, each time that the passage has so many tokens. Resolves
   * when the last reload is done.
   */
  async reloadAt(counts: readonly number[], begin: () => Promise<void>): Promise<void> {
    // In the page and before the run begins or goes on: a quick machine could be done before a message from here came.
    const watch = (counts: readonly number[]): void => {
      const reloads = Number(sessionStorage.getItem('reloads'));
      const least = counts[reloads];
      if (least === undefined) return;
      new MutationObserver((_, observer) => {
        const page = document.querySelector<HTMLElement>('.page');
        if (page?.dataset.phase !== 'writing' || Number(page.dataset.written) < least) return;
        observer.disconnect();
        sessionStorage.setItem('reloads', String(reloads + 1));
        location.reload();
        // Until it leaves, the page waits for the model: it could be done before the browser has come that far.
        Worker.prototype.postMessage = () => undefined;
      }).observe(document, { subtree: true, attributes: true, attributeFilter: ['data-phase', 'data-written'] });
    };
    await this.page.addInitScript(watch, counts);
    await this.page.evaluate(watch, counts);
    let loads = 0;
    const loaded = this.page.waitForEvent('load', { predicate: () => (loads += 1) === counts.length });
    await Promise.all([loaded, begin()]);
  }

  /** The story; innerText would lack what the browser does not paint. */
  async text(): Promise<string> {
    const paragraphs = await this.story.locator('> p').allTextContents();
    return paragraphs.join('\n\n');
  }

  async continueToTheEnd(): Promise<string> {
    await this.run(() => this.continue.click());
    return this.text();
  }

  async regenerateToTheEnd(): Promise<string> {
    await this.run(() => this.regenerate.click());
    return this.text();
  }

  async newTakeToTheEnd(): Promise<string> {
    await this.run(() => this.newTake.click());
    return this.text();
  }

  /** Moves the caret with a key, to where the page says this of it. */
  async caretTo(key: 'Control+Home' | 'Control+End', hint: RegExp): Promise<void> {
    await expect(async () => {
      await this.story.press(key);
      await expect(this.page.getByText(hint)).toBeVisible({ timeout: 2000 });
    }).toPass();
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

/**
 * Drops files on a part of the page. Resolves to whether the page took the event, or else the browser would open them.
 * @param files by their names; each character is a byte
 */
export function dropFiles(place: Locator, files: Readonly<Record<string, string>>): Promise<boolean> {
  return place.evaluate((element, files) => {
    const dataTransfer = new DataTransfer();
    for (const [name, content] of Object.entries(files)) {
      const bytes = Uint8Array.from(content, (character) => character.charCodeAt(0));
      dataTransfer.items.add(new File([bytes], name));
    }
    const { x, y } = element.getBoundingClientRect();
    const init = { dataTransfer, bubbles: true, cancelable: true, clientX: x + 2, clientY: y + 2 };
    const taken = ['dragover', 'drop'].map((type) => !element.dispatchEvent(new DragEvent(type, init)));
    return taken.every(Boolean);
  }, files);
}

interface Options {
  /** What a test about failures makes the browser complain of. */
  expectedComplaints: RegExp;
}

interface Fixtures {
  quillmate: Quillmate;
}

interface WorkerFixtures {
  /** Of the production build, as it is served. */
  address: string;
  /** A browser with a profile: from the second visit on it has the compiled WebAssembly, as a writer's has. */
  profile: BrowserContext;
}

/** Each test begins with an empty store, and fails when a page complains or asks anything of another origin. */
export const test = base.extend<Options & Fixtures, WorkerFixtures>({
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

  profile: [
    async ({ address }, use) => {
      const folder = await mkdtemp(join(tmpdir(), 'quillmate-profile-'));
      const profile = await chromium.launchPersistentContext(folder, { ...launchOptions, baseURL: address });
      // As in a private window of Firefox: what these tests hold up or cut off on the way to the server goes that way.
      await profile.addInitScript(() => {
        Object.defineProperty(navigator, 'serviceWorker', { value: undefined });
      });
      await use(profile);
      await profile.close();
      await rm(folder, { recursive: true });
    },
    { scope: 'worker' },
  ],

  baseURL: async ({ address }, use) => {
    await use(address);
  },

  context: async ({ profile, address, expectedComplaints }, use) => {
    const complaints: string[] = [];
    const strangers: string[] = [];
    const { origin } = new URL(address);
    const watches = {
      request: (request: Request) => {
        if (new URL(request.url()).origin !== origin) strangers.push(request.url());
      },
      console: (message: ConsoleMessage) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
      },
      weberror: (error: WebError) => complaints.push(error.error().message),
    };
    profile.on('request', watches.request).on('console', watches.console).on('weberror', watches.weberror);
    await use(profile);
    for (const page of profile.pages()) await page.close();
    profile.off('request', watches.request).off('console', watches.console).off('weberror', watches.weberror);
    await profile.clearPermissions();

    expect(strangers, 'requests to other origins').toEqual([]);
    const unexpected = complaints.filter((complaint) => !expectedComplaints.test(complaint));
    expect(unexpected, 'complaints in the console').toEqual([]);
  },

  page: async ({ context, address }, use) => {
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Storage.clearDataForOrigin', {
      origin: new URL(address).origin,
      storageTypes: 'cache_storage,cookies,file_systems,indexeddb,local_storage,service_workers',
    });
    await use(page);
  },

  quillmate: async ({ page }, use) => {
    await use(new Quillmate(page));
  },
});

export { expect };
