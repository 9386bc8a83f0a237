import { batch, signal } from '@preact/signals';
import { openStore, type Store, type Story } from 'quillmate-sampler/store';
import { words } from '../words';
import type { OpenStory } from '../writing/open-story';
import type { Troubles } from '../writing/troubles';
import { address } from './page-address';
import { becomeSoleWriter } from './sole-writer';
import { StoryKeeper } from './story-keeper';
import { lay, snapshotOf } from './story-snapshot';

/** Puts stories of the store on the page, one at a time and for this tab alone, and saves what changes there. */
export class StoryHolder {
  /** Null where nothing can be saved. */
  readonly keeper = signal<StoryKeeper | null>(null);
  readonly #story: OpenStory;
  readonly #troubles: Troubles;
  #store: Store | undefined;
  /** Lets go of the story on the page, or of the waiting for it. */
  #leave: () => void = () => undefined;
  /** The story whose words are on the page. */
  #shown: string | undefined;
  /** Whether something changed there that is saved nowhere. */
  #hasUnkept = false;
  #askedToKeep = false;

  constructor(story: OpenStory, troubles: Troubles) {
    this.#story = story;
    this.#troubles = troubles;
    story.onChange = () => {
      const keeper = this.keeper.peek();
      if (keeper) keeper.keep();
      else if (story.place.peek() === 'here') this.#hasUnkept = true;
    };
  }

  async openStore(): Promise<Store> {
    this.#store = await openStore();
    return this.#store;
  }

  /** Resolves when the story is this tab's to write in, or another one has been opened. What was on the page is to be settled before. */
  async open(id: string): Promise<void> {
    const store = this.#store;
    if (!store) return;
    const story = this.#story;
    const waiting = new AbortController();
    const { signal } = waiting;
    this.#leave = () => {
      waiting.abort();
    };
    batch(() => {
      story.id.value = id;
      story.place.value = 'opening';
    });
    address(id);
    try {
      const release = await becomeSoleWriter(store, id, signal, () => void this.#readElsewhere(store, id));
      this.#leave = release;
      if (signal.aborted) {
        release();
        return;
      }
      const saved = await store.load(id);
      this.#lay(saved ?? firstStory, id);
      this.#keepIn(store, saved?.revision ?? 0);
    } catch (error) {
      if (signal.aborted) return;
      this.#leave();
      if (this.#shown !== undefined && this.#shown !== id) {
        // Its words must not stand under the other one's name.
        await this.open(this.#shown);
        this.#troubles.report('library', error);
        return;
      }
      this.#troubles.report('storeOpen', error);
    }
    story.place.value = 'here';
  }

  /** Saves everything for the last time. False where it cannot be saved: then it had better stay on the page. */
  async settle(): Promise<boolean> {
    const keeper = this.keeper.value;
    if (keeper && !(await keeper.settle())) return false;
    if (this.#hasUnkept) {
      this.#troubles.report('storeSave', words.keeping.nowhere);
      return false;
    }
    this.keeper.value = null;
    return true;
  }

  /** Lets go of a story that is settled: another tab may have it. */
  leave(): void {
    this.#leave();
  }

  /** With a new connection, since the browser may have taken the old one away. */
  async saveAgain(): Promise<Store> {
    const store = await openStore();
    this.#store?.close();
    this.#store = store;
    // This tab holds the story, so that what is stored is its own.
    const stored = await store.load(this.#story.id.value);
    this.#keepIn(store, stored?.revision ?? 0);
    this.#story.onChange();
    return store;
  }

  /** After a run: down to the disk, and the browser is asked not to clear it away. */
  keepForGood(): void {
    this.keeper.value?.keepForGood();
    // Now there is something to lose, and the writer has just done something.
    if (!this.#askedToKeep) void this.#store?.persist();
    this.#askedToKeep = true;
  }

  #lay(saved: Omit<Story, 'id'>, id: string): void {
    lay(saved, this.#story);
    this.#shown = id;
    this.#hasUnkept = false;
  }

  #keepIn(store: Store, revision: number): void {
    this.#hasUnkept = false;
    this.keeper.value = new StoryKeeper(store, revision, {
      snapshot: () => snapshotOf(this.#story),
      kept: () => {
        this.#troubles.settle('storeSave');
      },
      notKept: (error) => {
        this.#troubles.report('storeSave', error);
      },
    });
  }

  /** Another tab is writing: shows what it has saved, and leaves everything else to it. */
  async #readElsewhere(store: Store, id: string): Promise<void> {
    const story = this.#story;
    let saved: Omit<Story, 'id'> | undefined;
    try {
      saved = (await store.load(id)) ?? firstStory;
    } catch (error) {
      this.#troubles.report('storeOpen', error);
    }
    // By now the other tab may be gone, and this one the writer.
    if (story.place.value !== 'opening' || story.id.value !== id) return;
    batch(() => {
      if (saved) this.#lay(saved, id);
      story.interrupted.value = null;
      story.place.value = 'elsewhere';
    });
  }
}

const firstStory: Omit<Story, 'id'> = { text: words.opening, state: null };
