import { computed, signal } from '@preact/signals';
import type { Store, StoredStory } from 'quillmate-sampler/store';
import { readStoryLabel, type StoryLabel } from '../keeping/saved-desk';
import { holdBriefly } from '../keeping/sole-writer';
import { words } from '../words';
import { LibraryReader } from './library-reader';
import type { Hit } from './library-requests';
import { fromFileText, readText } from './story-files';
import { countWords } from './word-count';

/** A story in the list. */
export interface Entry extends StoryLabel {
  readonly id: string;
  readonly revision: number;
  readonly updatedAt: number;
}

/** A deleted story can be brought back for so long, in milliseconds. */
const keptAfterDeletion = 30 * 24 * 60 * 60 * 1000;

/** All stories of this browser, without their texts. What belongs to the one that is open is its desk's to save. */
export class Library {
  readonly #all = signal<readonly Entry[]>([]);
  readonly #reader = new LibraryReader();
  readonly #channel = new BroadcastChannel('quillmate-library');
  #store: Store | undefined;

  /** The most recently written first. */
  readonly entries = computed(() => this.#all.value.filter(({ deletedAt }) => deletedAt === null));
  readonly deleted = computed(() => this.#all.value.filter(({ deletedAt }) => deletedAt !== null));
  /** What the search found in texts; null while nothing is searched for. */
  readonly hits = signal<readonly Hit[] | null>(null);
  readonly searching = signal(false);

  constructor() {
    this.#channel.addEventListener('message', () => void this.refresh());
  }

  async connect(store: Store): Promise<void> {
    this.#store = store;
    for (const { id, data } of await store.list()) {
      const label = readStoryLabel(data);
      // What an earlier version of this page saved has no label yet.
      if (!label) await this.#change(id, (story) => story);
      else if (label.deletedAt !== null && label.deletedAt + keptAfterDeletion < Date.now()) await store.delete(id);
    }
    await this.refresh();
  }

  /** Whether it is in the list, and not among the deleted ones. */
  has(id: string): boolean {
    return this.entries.value.some((entry) => entry.id === id);
  }

  async refresh(): Promise<void> {
    const stories = (await this.#store?.list()) ?? [];
    const before = new Map(this.#all.peek().map((entry) => [entry.id, entry]));
    this.#all.value = stories.map(({ id, data, revision, updatedAt }) => {
      const entry = before.get(id);
      // The same object: the page need not look at its line again.
      if (entry?.revision === revision && entry.updatedAt === updatedAt) return entry;
      const label = readStoryLabel(data) ?? { title: '', opening: '', words: 0, deletedAt: null };
      return { ...label, id, revision, updatedAt };
    });
  }

  /** After a change, in this tab and the others. */
  async tell(): Promise<void> {
    await this.refresh();
    this.#channel.postMessage('changed');
  }

  /** @returns the id of a new story */
  async add(story: { title: string; text: string }, settings: object): Promise<string> {
    const id = await this.#add(story, settings);
    await this.tell();
    return id;
  }

  /** @returns the id of the copy, undefined where the story is gone */
  async duplicate(id: string, titleOf: (title: string) => string): Promise<string | undefined> {
    const store = this.#require();
    const story = await store.load(id);
    if (!story) return undefined;
    const copy = crypto.randomUUID();
    const label = readStoryLabel(story.data) ?? labelOf('', story.text);
    const title = titleOf(label.title === '' ? label.opening : label.title);
    await store.save({ ...story, id: copy, data: { ...(story.data as object), ...label, title } });
    await this.tell();
    return copy;
  }

  /** False where another tab has the story open, and nothing is changed. */
  rename(id: string, title: string): Promise<boolean> {
    return this.#changeHeld(id, { title });
  }

  /** It stays among the deleted ones for a while. False where another tab has it open. */
  delete(id: string): Promise<boolean> {
    return this.#changeHeld(id, { deletedAt: Date.now() });
  }

  /** The same for one that this tab has open. */
  async deleteHeld(id: string): Promise<void> {
    await this.#change(id, (label) => ({ ...label, deletedAt: Date.now() }));
    await this.tell();
  }

  restore(id: string): Promise<boolean> {
    return this.#changeHeld(id, { deletedAt: null });
  }

  async deleteForGood(id: string): Promise<void> {
    await this.#require().delete(id);
    await this.tell();
  }

  load(id: string): Promise<StoredStory | undefined> {
    return this.#require().load(id);
  }

  async search(query: string): Promise<void> {
    if (query.trim() === '') {
      this.hits.value = null;
      this.searching.value = false;
      return;
    }
    this.hits.value = [];
    this.searching.value = true;
    await this.#reader.search(query, (hit) => {
      this.hits.value = [...(this.hits.value ?? []), hit];
    });
    this.searching.value = false;
  }

  exportAll(): Promise<Blob> {
    return this.#reader.exportAll();
  }

  /** Stories from files: a library, Markdown or plain text. Rejects at the end where one is no text. @returns their ids */
  async importFiles(files: readonly File[], settings: object): Promise<string[]> {
    const ids: string[] = [];
    const refused: string[] = [];
    try {
      for (const file of files) {
        if (/\.json$/i.test(file.name)) {
          ids.push(...(await this.#reader.importAll(await file.text())));
          continue;
        }
        const content = await readText(file);
        if (content === null) refused.push(words.library.notText(file.name));
        else ids.push(await this.#add(fromFileText(file.name, content), settings));
      }
    } finally {
      // Those before one that cannot be read are in the list, too.
      await this.tell();
    }
    if (refused.length > 0) throw new Error(refused.join(' '));
    return ids;
  }

  async #add({ title, text }: { title: string; text: string }, settings: object): Promise<string> {
    const id = crypto.randomUUID();
    await this.#require().save({ id, text, state: null, data: { ...settings, ...labelOf(title, text) } });
    return id;
  }

  async #changeHeld(id: string, change: Partial<StoryLabel>): Promise<boolean> {
    const release = await holdBriefly(this.#require(), id);
    if (!release) return false;
    try {
      await this.#change(id, (label) => ({ ...label, ...change }));
    } finally {
      release();
    }
    await this.tell();
    return true;
  }

  async #change(id: string, change: (label: StoryLabel) => StoryLabel): Promise<void> {
    const store = this.#require();
    const story = await store.load(id);
    if (!story) return;
    const label = change(readStoryLabel(story.data) ?? labelOf('', story.text));
    await store.save({ ...story, data: { ...(story.data as object), ...label } }, { revision: story.revision });
  }

  #require(): Store {
    if (!this.#store) throw new Error('the store is not open');
    return this.#store;
  }
}

export function labelOf(title: string, text: string, words = countWords(text)): StoryLabel {
  return { title, opening: openingOf(text), words, deletedAt: null };
}

const openingLength = 60;

function openingOf(text: string): string {
  const start = text.slice(0, 4 * openingLength).trim();
  const line = start.split('\n', 1)[0] ?? '';
  return line.length <= openingLength ? line : `${line.slice(0, openingLength).replace(/\s+\S*$/, '')}…`;
}
