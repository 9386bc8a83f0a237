import { signal } from '@preact/signals';
import { readStoryLabel } from '../keeping/saved-desk';
import type { StoryHolder } from '../keeping/story-holder';
import { words } from '../words';
import type { Machine } from '../writing/machine';
import type { OpenStory } from '../writing/open-story';
import type { Troubles } from '../writing/troubles';
import type { Library } from './library';
import type { StoryText } from './story-files';

/** What a writer does with whole stories: that on the page and those of the library. */
export class Stories {
  /** The story that was deleted last, for as long as its deletion can be undone with one press. */
  readonly lastDeleted = signal<{ readonly id: string; readonly title: string } | null>(null);
  readonly #library: Library;
  readonly #story: OpenStory;
  readonly #machine: Machine;
  readonly #holder: StoryHolder;
  readonly #troubles: Troubles;

  constructor(library: Library, story: OpenStory, machine: Machine, holder: StoryHolder, troubles: Troubles) {
    this.#library = library;
    this.#story = story;
    this.#machine = machine;
    this.#holder = holder;
    this.#troubles = troubles;
  }

  /** Puts another story on the page, once what stands there is saved. False where that cannot be. */
  async open(id: string): Promise<boolean> {
    if (!(await this.#settle())) return false;
    this.#holder.leave();
    await this.#show(id);
    return this.#story.id.value === id && this.#story.place.value === 'here';
  }

  /** A new story with this text, on the page; false where it is in the library only. */
  async add(text: StoryText = { title: '', text: '' }, dials = this.#story.dialTexts.value): Promise<boolean> {
    return this.open(await this.#library.add(text, { dials }));
  }

  async addEmpty(): Promise<void> {
    await this.#attempt(() => this.add());
  }

  async duplicate(id: string): Promise<void> {
    await this.#attempt(async () => {
      if (id === this.#story.id.value) await this.#holder.keeper.value?.settle();
      const copy = await this.#library.duplicate(id, words.library.copyOf);
      if (copy !== undefined) await this.open(copy);
    });
  }

  async rename(id: string, title: string): Promise<void> {
    if (id === this.#story.id.value) {
      this.#story.rename(title);
      return;
    }
    await this.#attempt(async () => {
      if (!(await this.#library.rename(id, title))) this.#troubles.report('heldElsewhere', '');
    });
  }

  /** It can be brought back, at once or for a month. */
  async delete(id: string): Promise<void> {
    await this.#attempt(async () => {
      const open = id === this.#story.id.value;
      const here = open && this.#story.place.value === 'here';
      const entry = this.#library.entries.value.find((entry) => entry.id === id);
      if (here) {
        // It stays this tab's until it is deleted: another may wait for it.
        if (!(await this.#settle())) return;
        try {
          await this.#library.deleteHeld(id);
        } catch (error) {
          this.#holder.leave();
          await this.#show(id);
          throw error;
        }
      } else if (!(await this.#library.delete(id))) {
        this.#troubles.report('heldElsewhere', '');
        return;
      }
      this.lastDeleted.value = { id, title: entry ? words.library.titleOf(entry) : '' };
      if (!open) return;
      this.#holder.leave();
      const [next] = this.#library.entries.value;
      if (next) await this.#show(next.id);
      else await this.add();
    });
  }

  async restore(id: string): Promise<void> {
    this.lastDeleted.value = null;
    await this.#attempt(async () => {
      if (await this.#library.restore(id)) await this.open(id);
    });
  }

  async deleteForGood(id: string): Promise<void> {
    await this.#attempt(() => this.#library.deleteForGood(id));
  }

  /** Texts and whole libraries; the first is shown. */
  async importFiles(files: readonly File[]): Promise<void> {
    await this.#attempt(async () => {
      const ids = await this.#library.importFiles(files, { dials: this.#story.dialTexts.value });
      // A library may hold deleted ones.
      const first = ids.find((id) => this.#library.has(id));
      if (first !== undefined) await this.open(first);
    });
  }

  /** Also of a story on the page that cannot be saved. */
  async textOf(id: string): Promise<StoryText | undefined> {
    if (id === this.#story.id.value) return { title: this.#story.title.value, text: this.#story.manuscript.text.value };
    return this.#attempt(async () => {
      const story = await this.#library.load(id);
      return story && { title: readStoryLabel(story.data)?.title ?? '', text: story.text };
    });
  }

  exportAll(): Promise<Blob | undefined> {
    return this.#attempt(async () => {
      await this.#holder.keeper.value?.settle();
      return this.#library.exportAll();
    });
  }

  /** False where what is on the page cannot be saved. */
  async #settle(): Promise<boolean> {
    await this.#machine.rest();
    const isKept = this.#holder.keeper.peek() !== null;
    if (!(await this.#holder.settle())) return false;
    // The list has it as it was when it was opened.
    if (isKept) await this.#library.tell();
    return true;
  }

  async #show(id: string): Promise<void> {
    this.#machine.outcome.value = null;
    await this.#holder.open(id);
  }

  async #attempt<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    this.#troubles.settle('library');
    this.#troubles.settle('heldElsewhere');
    try {
      return await work();
    } catch (error) {
      this.#troubles.report('library', error);
      return undefined;
    }
  }
}
