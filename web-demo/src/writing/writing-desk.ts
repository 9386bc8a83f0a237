import { lastModel, rememberModel } from '../keeping/last-model';
import { address, addressedStory, sharedLink } from '../keeping/page-address';
import { firstStoryId } from '../keeping/saved-desk';
import { StoryHolder } from '../keeping/story-holder';
import { Library } from '../library/library';
import { Stories } from '../library/stories';
import { ModelShelf } from '../models/model-shelf';
import { Finder } from '../story/finder';
import { Machine } from './machine';
import { OpenStory } from './open-story';
import { OtherWords } from './other-words';
import { Passages } from './passages';
import { readSharedFile } from './shared-passage';
import { Sharing } from './sharing';
import { Troubles } from './troubles';

/** The state of the page and everything a writer can do to it. Knows nothing of the document. */
export class WritingDesk {
  readonly troubles = new Troubles();
  readonly models = new ModelShelf();
  readonly library = new Library();
  readonly story = new OpenStory();
  readonly finder = new Finder(this.story.manuscript);
  readonly machine = new Machine(this.models, this.story, this.troubles);
  readonly passages = new Passages(this.story, this.machine);
  readonly otherWords = new OtherWords(this.story, this.machine, this.passages);
  readonly holder = new StoryHolder(this.story, this.troubles);
  readonly stories = new Stories(this.library, this.story, this.machine, this.holder, this.troubles);
  readonly sharing = new Sharing(this.story, this.machine, this.passages, this.stories, this.troubles);
  #modelOpened: Promise<void> = Promise.resolve();

  constructor() {
    this.story.onEdit = () => {
      this.machine.outcome.value = null;
      this.otherWords.shown.value = null;
    };
    this.machine.onEnd = () => {
      this.holder.keepForGood();
    };
  }

  async open(): Promise<void> {
    addEventListener('hashchange', () => void this.#follow());
    const link = sharedLink();
    // The model takes seconds, so it does not wait for the story.
    this.#modelOpened = this.models.open(lastModel());
    if (!(await this.#openLibrary())) return;
    // What is shared gets a story of its own, whatever other tabs have open.
    if (link === null || !(await this.#openLink(link))) await this.#openLatest();
  }

  /** From now on visits begin with this model. */
  async useModel(id: string): Promise<void> {
    rememberModel(id);
    await this.models.use(id);
  }

  /** Stories, libraries, or one shared passage. */
  async importFiles(files: readonly File[]): Promise<void> {
    const [only] = files;
    const passage = files.length === 1 && only ? await readSharedFile(only) : undefined;
    if (passage === undefined) await this.stories.importFiles(files);
    else await this.sharing.open(passage);
  }

  async saveAgain(): Promise<void> {
    this.troubles.settle('storeSave');
    try {
      await this.library.connect(await this.holder.saveAgain());
    } catch (error) {
      this.troubles.report('storeSave', error);
    }
  }

  /** False where the browser gives no access: then the page holds a story that cannot be saved. */
  async #openLibrary(): Promise<boolean> {
    try {
      await this.library.connect(await this.holder.openStore());
      return true;
    } catch (error) {
      this.troubles.report('storeOpen', error);
      this.story.place.value = 'here';
      return false;
    }
  }

  async #openLatest(): Promise<void> {
    const [latest] = this.library.entries.value;
    const asked = addressedStory();
    await this.stories.open(asked !== null && this.library.has(asked) ? asked : (latest?.id ?? firstStoryId));
  }

  /** A link to a passage or a story that was followed while the page was open. */
  async #follow(): Promise<void> {
    const link = sharedLink();
    const id = addressedStory();
    if (link !== null) {
      await this.#openLink(link);
      return;
    }
    // Another tab may have made it just now.
    await this.library.refresh();
    if (id === null || !this.library.has(id)) address(this.story.id.value);
    else if (id !== this.story.id.value) await this.stories.open(id);
  }

  /** @returns whether there is a story now that writes it */
  async #openLink(link: string): Promise<boolean> {
    await this.#modelOpened;
    return this.sharing.openLink(link);
  }
}
