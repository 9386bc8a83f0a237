// What a crash of the machine leaves of a story: npm run test:crash kills the browser 25 times.
import { chromium, type BrowserContext } from '@playwright/test';
import type { GeneratorState } from 'quillmate-sampler/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { launchOptions } from '../../scripts/chromium.mjs';
import { killBrowser } from './browser-processes.js';
import { expect, Quillmate, test } from './quillmate.js';

const kills = Number(process.env.QUILLMATE_KILLS ?? 25);
/** Of the story: the most that the page writes at once, or what three kills need. */
const length = kills > 3 ? 1000 : 400;
const seed = '24';

test.setTimeout(120_000 + kills * 60_000);

/** What is in the store of the story and of the take that was written last. */
interface Kept {
  readonly text: string;
  readonly state: GeneratorState | null;
}

/** Of a record in the store. */
interface Stored {
  readonly text: string;
  readonly body?: { readonly takes: readonly string[] };
}

/** A browser with a profile that outlives it, on the page. */
class Visit {
  readonly #profile: string;
  readonly #context: BrowserContext;
  readonly #address: string;
  readonly quillmate: Quillmate;
  /** How many tokens the page has said to be saved. */
  saved = 0;

  private constructor(profile: string, context: BrowserContext, quillmate: Quillmate, address: string) {
    this.#profile = profile;
    this.#context = context;
    this.quillmate = quillmate;
    this.#address = address;
  }

  static async begin(profile: string, address: string): Promise<Visit> {
    const context = await chromium.launchPersistentContext(profile, { ...launchOptions, baseURL: address });
    const visit = new Visit(profile, context, new Quillmate(await context.newPage()), address);
    await context.exposeFunction('tellSaved', (tokens: number) => (visit.saved = tokens));
    await context.addInitScript(() => {
      const { tellSaved } = globalThis as unknown as { tellSaved: (tokens: number) => Promise<void> };
      const look = (): void => {
        const page = document.querySelector<HTMLElement>('.page');
        if (page?.dataset.keeping === 'saved') void tellSaved(Number(page.dataset.written));
      };
      // In a task of its own: what the page does at a change, it has done then.
      new MutationObserver(() => setTimeout(look)).observe(document, {
        subtree: true,
        childList: true,
        attributes: true,
        attributeFilter: ['data-keeping', 'data-written'],
      });
    });
    return visit;
  }

  /** Opens the page and begins the story there. */
  async continue(seed: string): Promise<void> {
    const { quillmate } = this;
    await quillmate.open();
    await quillmate.isIn('ready');
    await quillmate.seed.fill(seed);
    await quillmate.length.fill(String(length));
    await quillmate.continue.click();
  }

  /** What lies in the store, read past the page, which is not opened for it. */
  async kept(): Promise<Kept> {
    const page = await this.#context.newPage();
    await page.goto(`${this.#address}quill.svg`);
    const kept = await page.evaluate(async () => {
      const done = <T>(request: IDBRequest<T>) =>
        new Promise<T>((resolve, reject) => {
          request.onsuccess = () => {
            resolve(request.result);
          };
          request.onerror = () => {
            reject(new Error('it cannot be read', { cause: request.error }));
          };
        });
      const database = await done(indexedDB.open('quillmate'));
      const stories = database.transaction('stories').objectStore('stories');
      const record: unknown = await done<unknown>(stories.get('story'));
      database.close();
      const { text, body } = record as Stored;
      const take = body?.takes.at(-1);
      return { text, state: take === undefined ? null : (JSON.parse(take) as { state: GeneratorState }).state };
    });
    await page.close();
    return kept;
  }

  async end(): Promise<Kept> {
    await expect(this.quillmate.status).toHaveText(new RegExp(`^Wrote ${length} tokens`));
    await this.quillmate.isKept();
    const text = await this.quillmate.text();
    const kept = await this.kept();
    expect(kept.text).toBe(text);
    await this.#context.close();
    return kept;
  }

  /** @returns how many processes there were */
  async kill(): Promise<number> {
    return killBrowser(this.#profile);
  }
}

/** Numbers that are the same in each run. */
function lottery(state: number): (limit: number) => number {
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * limit);
  };
}

const drawn = ({ state }: Kept): number => state?.step ?? 0;

/** What is wrong with what a kill has left; nothing, where it is the beginning of the story, as far as the page had promised. */
function faults(left: Kept, saved: number, undisturbed: Kept): string[] {
  const found = [];
  if (drawn(left) < saved) found.push(`${saved} tokens were said to be saved, ${drawn(left)} are`);
  if (!undisturbed.text.startsWith(left.text)) found.push('the text is not that of the undisturbed run');
  if (String(undisturbed.state?.tokens.slice(0, left.state?.tokens.length)) !== String(left.state?.tokens))
    found.push('the tokens are not those of the undisturbed run');
  return found;
}

test(`a story whose browser is killed ${kills} times ends as if nothing had happened`, async ({ address }) => {
  const folder = await mkdtemp(join(tmpdir(), 'quillmate-kills-'));
  const profile = (name: string): string => join(folder, name);

  const undisturbed = await test.step('undisturbed', async () => {
    const visit = await Visit.begin(profile('undisturbed'), address);
    await visit.continue(seed);
    return visit.end();
  });
  expect(drawn(undisturbed)).toBe(length);

  await test.step('killed', async () => {
    const draw = lottery(7);
    // Of the last tokens none, so that the page is still writing when the kill comes.
    const places = Array.from({ length: kills }, () => 1 + draw(0.8 * length)).sort((a, b) => a - b);
    let visit = await Visit.begin(profile('killed'), address);
    await visit.continue(seed);
    for (const [i, place] of places.entries()) {
      const delay = draw(100);
      await visit.quillmate.hasWritten(place);
      await pause(delay); // not for something to happen: the kill may come at any moment
      const processes = await visit.kill();
      const { saved } = visit;

      visit = await Visit.begin(profile('killed'), address);
      const left = await visit.kept();
      const found = faults(left, saved, undisturbed);
      console.log(
        `kill ${String(i + 1).padStart(2)} of ${kills}, of ${processes} processes, ${delay} ms after token ${place}: ` +
          `${saved} tokens said to be saved, ${drawn(left)} there; ${found.join('; ') || 'as undisturbed'}`,
      );
      expect(found).toEqual([]);
      expect(drawn(left)).toBeLessThan(length);
      await visit.quillmate.open();
    }
    expect(await visit.end()).toEqual(undisturbed);
  });

  await test.step('a page whose store forgets, with another seed, is found out', async () => {
    const visit = await Visit.begin(profile('control'), address);
    await visit.quillmate.page.addInitScript(() => {
      // eslint-disable-next-line @typescript-eslint/unbound-method -- called on an object store again
      const put = IDBObjectStore.prototype.put;
      let early: Stored | undefined;
      IDBObjectStore.prototype.put = function (record: Stored) {
        const take = record.body?.takes.at(-1);
        if (take === undefined) return put.call(this, record);
        if (!early || (JSON.parse(take) as { state: GeneratorState }).state.step < 20) early = record;
        return put.call(this, { ...record, text: early.text, body: early.body });
      };
    });
    await visit.continue('25');
    await visit.quillmate.hasWritten(40);
    await visit.quillmate.isKept();
    await visit.kill();
    const after = await Visit.begin(profile('control'), address);
    const left = await after.kept();
    await after.kill();
    expect(faults(left, visit.saved, undisturbed)).toEqual([
      expect.stringMatching(/^\d+ tokens were said to be saved, 1?\d are$/),
      'the text is not that of the undisturbed run',
      'the tokens are not those of the undisturbed run',
    ]);
  });
  await rm(folder, { recursive: true });
});
