import { batch, computed, signal } from '@preact/signals';
import { openStore, type Store, type Story } from 'quillmate-sampler/store';
import { address, addressedStory, sharedLink } from '../keeping/page-address';
import { firstStoryId, fromStory, readStoryLabel, toStory, type SavedDesk, type SavedRun } from '../keeping/saved-desk';
import { becomeSoleWriter } from '../keeping/sole-writer';
import { StoryKeeper } from '../keeping/story-keeper';
import { labelOf, Library } from '../library/library';
import type { StoryText } from '../library/story-files';
import { Manuscript } from '../story/manuscript';
import type { Place } from '../story/story-document';
import { words } from '../words';
import { firstDials, freshSeed, presets, readDials, type DialName, type Dials, type PresetName } from './dials';
import { drawTakes, type Job, type Progress } from './drawing';
import { outcomeOfReplay, outcomeOfRun, outcomeOfShared } from './outcomes';
import {
  beginningAfter,
  beginningOf,
  beginsWith,
  beginTake,
  countTokens,
  cutTake,
  isDrawnWith,
  isEnded,
  isWrittenBy,
  nextSeed,
  standingOf,
  tokenAt,
  type Standing,
  type Take,
} from './take';
import { fromLinkText, readShared, toShared, type SharedPassage } from './shared-passage';
import { weighTokens, wordIn, type WeighedToken } from './weighed-tokens';
import { loadWritingEngine, type LoadedBytes, type WritingEngine } from './writing-engine';

export type Phase = 'opening' | 'elsewhere' | 'loading' | 'failed' | 'ready' | 'writing';

export type Trouble = 'model' | 'run' | 'storeOpen' | 'storeSave' | 'library' | 'heldElsewhere' | 'share';

/** What else the model weighed at a token. */
export interface Alternatives {
  readonly take: Take;
  /** The index of the token among the take's own. */
  readonly at: number;
  /** The word that stands there. */
  readonly word: string;
  readonly options: readonly WeighedToken[];
}

interface Run {
  /** Those that are being written, and how many tokens each is to have. */
  readonly takes: readonly { readonly id: string; readonly until: number }[];
  /** The one whose words go into the story. */
  readonly inStory: string | null;
  /** What is written again, and stands in the story all the same if the page goes meanwhile. */
  readonly again: Take | null;
  /** How many tokens the first of them has. */
  readonly done: number;
  readonly until: number;
  /** Tokens per second, once there are two tokens to measure between. */
  readonly pace: number | null;
}

/** How many takes are written side by side. */
const severalTakes = 3;

/** The state of the page and everything a writer can do to it. Knows nothing of the document. */
export class WritingDesk {
  readonly library = new Library();
  readonly manuscript = new Manuscript();
  /** The story on the page. */
  readonly storyId = signal(firstStoryId);
  /** Empty until the writer names it. */
  readonly title = signal('');
  /** All that was ever written in this story. */
  readonly takes = signal<ReadonlyMap<string, Take>>(new Map());
  readonly dialTexts = signal(firstDials());
  readonly run = signal<Run | null>(null);
  readonly loading = signal<LoadedBytes | null>(null);
  /** How the last run ended, in words. */
  readonly outcome = signal<string | null>(null);
  /** What a screen reader should say now. */
  readonly announcement = signal('');
  readonly troubles = signal<ReadonlyMap<Trouble, string>>(new Map());
  readonly keeper = signal<StoryKeeper | null>(null);
  /** The story that was deleted last, for as long as its deletion can be undone with one press. */
  readonly lastDeleted = signal<{ readonly id: string; readonly title: string } | null>(null);

  /** At the word that was pressed, while they are shown. */
  readonly alternatives = signal<Alternatives | null>(null);

  readonly #place = signal<'opening' | 'elsewhere' | 'here'>('opening');
  readonly #engine = signal<WritingEngine | null>(null);
  /** A run that a reload interrupted, until it is taken up again. */
  readonly #interrupted = signal<SavedRun | null>(null);
  #stopAsked = false;
  #running: Promise<void> = Promise.resolve();
  #store: Store | undefined;
  /** Lets go of the story on the page, or of the waiting for it. */
  #leave: () => void = () => undefined;
  #askedToKeep = false;
  /** The model and the library are there, or have failed. */
  #ready: Promise<void> = Promise.resolve();

  /** What the list shows of the story on the page. */
  readonly label = computed(() => labelOf(this.title.value, this.manuscript.text.value, this.manuscript.words.value));

  readonly reading = computed(() => readDials(this.dialTexts.value));

  /** The take whose words are at the caret or are being written. */
  readonly standing = computed((): Standing | null => {
    const run = this.run.value;
    const id = run ? (run.inStory ?? this.manuscript.take.value) : this.manuscript.take.value;
    const take = id === null ? undefined : this.takes.value.get(id);
    if (!take) return null;
    const text = this.manuscript.text.value;
    const place = this.manuscript.places.value.find((place) => place.take === id);
    return place ? standingOf(take, place, text, this.#engine.value) : null;
  });

  /** The same, while the writer has not changed the words. */
  readonly #intact = computed(() => {
    const standing = this.standing.value;
    return standing && standing.tokens !== null ? { ...standing, tokens: standing.tokens } : null;
  });

  /** The passage at the caret, or the one of the take that is being written: all its takes, the oldest first. */
  readonly siblings = computed((): readonly Take[] => {
    const passage = this.standing.value?.take.passage;
    return passage === undefined ? [] : [...this.takes.value.values()].filter((take) => take.passage === passage);
  });

  /** How many tokens of the machine's stand at the caret, or have been written in this run. */
  readonly written = computed(() => (this.run.value ? this.run.value.done : (this.standing.value?.tokens ?? 0)));

  readonly phase = computed((): Phase => {
    if (this.#place.value !== 'here') return this.#place.value;
    if (this.run.value) return 'writing';
    if (this.#engine.value) return 'ready';
    return this.loading.value ? 'loading' : 'failed';
  });

  readonly canContinue = computed(() => this.phase.value === 'ready' && 'dials' in this.reading.value);
  readonly canRegenerate = computed(() => this.phase.value === 'ready' && this.standing.value !== null);
  readonly canTakeAnew = computed(() => this.canContinue.value && this.standing.value !== null);
  readonly canKeepWriting = computed(() => {
    const engine = this.#engine.value;
    const intact = this.#intact.value;
    if (!engine || !intact || !this.canContinue.value) return false;
    return intact.tokens < countTokens(intact.take) || !isEnded(engine, intact.take);
  });
  readonly canWeigh = computed(() => this.phase.value === 'ready' && this.#intact.value !== null);
  /** Words can be the writer's own whatever the machine does. */
  readonly canRelease = computed(() => this.#place.value === 'here' && !this.run.value && this.standing.value !== null);

  /** Whether a run waits for the model, to go on where a reload interrupted it. */
  readonly willGoOn = computed(() => this.#interrupted.value !== null);
  readonly canStop = computed(() => this.run.value !== null || this.willGoOn.value);

  /** Whether the model that is loaded wrote the passage at the caret; null when there is none. */
  readonly sameModel = computed(() => {
    const engine = this.#engine.value;
    const standing = this.standing.value;
    return engine && standing ? isWrittenBy(engine, standing.take) : null;
  });

  constructor() {
    this.manuscript.onEdit = () => {
      this.outcome.value = null;
      this.alternatives.value = null;
      this.#changed();
    };
  }

  async open(): Promise<void> {
    const link = sharedLink();
    addEventListener('hashchange', () => void this.#follow());
    // The model takes seconds, so it does not wait for the story.
    const both = Promise.all([this.loadModel(), this.#openLibrary()]);
    this.#ready = both.then(() => undefined);
    await both;
    if (link !== null) await this.#openLink(link);
  }

  /** A link to a passage or a story that was followed while the page was open. */
  async #follow(): Promise<void> {
    const link = sharedLink();
    const id = addressedStory();
    if (link !== null) await this.#openLink(link);
    else if (id !== null && id !== this.storyId.value) await this.openStory(id);
  }

  async #openLink(link: string): Promise<void> {
    const passage = await fromLinkText(link);
    if (passage) await this.openShared(passage);
    else this.#report('share', words.share.broken);
  }

  async loadModel(): Promise<void> {
    this.#engine.value?.model.dispose();
    batch(() => {
      this.#engine.value = null;
      this.loading.value = { loaded: 0, total: 0 };
      this.settle('model');
      this.settle('run');
    });
    try {
      this.#engine.value = await loadWritingEngine((bytes) => (this.loading.value = bytes));
      this.announcement.value = words.announce.ready;
    } catch (error) {
      this.#report('model', error);
    } finally {
      this.loading.value = null;
    }
    await this.#takeUp();
  }

  /** Writes at the caret: goes on with the passage that ends there, if these dials do, or begins one. */
  async continue(): Promise<void> {
    const { engine, dials } = this.#means() ?? {};
    if (!engine || !dials) return;
    const at = this.manuscript.caret.value;
    const intact = this.#intact.value;
    if (intact?.to === at && this.canKeepWriting.value && this.#isGoneOnWith(engine, intact, dials)) {
      await this.keepWriting();
    } else {
      const beginning = beginningAfter(engine, this.manuscript.text.value.slice(0, at));
      const take = beginTake(engine, beginning, dials, crypto.randomUUID());
      await this.#write(engine, [take], { take: take.id, from: at, to: at });
    }
  }

  /** The passage at the caret goes on as it was begun, whatever the dials say now but for the number of tokens. */
  async keepWriting(): Promise<void> {
    const { engine, dials } = this.#means() ?? {};
    const intact = this.#intact.value;
    if (!engine || !dials || !this.canKeepWriting.value || !intact) return;
    const { tokens, from, to } = intact;
    const wanted = tokens < intact.take.wanted ? intact.take.wanted : tokens + dials.length;
    // What another model adds is a take of its own.
    const id = isWrittenBy(engine, intact.take) ? intact.take.id : crypto.randomUUID();
    const take = { ...cutTake(engine, intact.take, tokens), id, wanted };
    await this.#write(engine, [take], { take: id, from, to });
  }

  /** The next seed, in the place of the passage at the caret. */
  async newTake(): Promise<void> {
    const { engine } = this.#means() ?? {};
    const standing = this.standing.value;
    if (!engine || !standing || !this.canTakeAnew.value) return;
    const take = this.#beginSibling(engine, standing.take);
    if (take) await this.#write(engine, [take], { take: take.id, from: standing.from, to: standing.to });
  }

  /** Several seeds side by side: of the passage at the caret, or of a new one whose first take goes into the story. */
  async writeSeveral(): Promise<void> {
    const { engine, dials } = this.#means() ?? {};
    if (!engine || !dials) return;
    const standing = this.standing.value;
    const takes: Take[] = [];
    if (standing) {
      for (let n = 0; n < severalTakes; n += 1) {
        const take = this.#beginSibling(engine, standing.take);
        if (take) takes.push(take);
      }
      await this.#write(engine, takes, null);
      return;
    }
    const at = this.manuscript.caret.value;
    const first = beginTake(
      engine,
      beginningAfter(engine, this.manuscript.text.value.slice(0, at)),
      dials,
      crypto.randomUUID(),
    );
    this.#keepTake(first);
    takes.push(first);
    for (let n = 1; n < severalTakes; n += 1) {
      const take = this.#beginSibling(engine, first);
      if (take) takes.push(take);
    }
    this.turn('seed', first.state.seed);
    await this.#write(engine, takes, { take: first.id, from: at, to: at });
  }

  /** Puts another take of the passage at the caret into the story. */
  pick(take: Take): void {
    const standing = this.standing.value;
    if (!standing || this.run.value || take.text === '') return;
    this.manuscript.replace(standing, take.text, take.id);
    this.outcome.value = words.status.picked(take.state.seed);
    this.announcement.value = this.outcome.value;
    this.#changed();
  }

  star(take: Take): void {
    const now = this.takes.value.get(take.id);
    if (!now) return;
    this.takes.value = new Map(this.takes.value).set(take.id, { ...now, starred: !now.starred });
    this.#changed();
  }

  /** Writes the passage at the caret again, from its own seed and settings: word for word, while the model's numbers are. */
  async regenerate(): Promise<void> {
    const engine = this.#engine.value;
    const standing = this.standing.value;
    if (!engine || !standing || !this.canRegenerate.value) return;
    const original = standing.tokens === null ? standing.take : cutTake(engine, standing.take, standing.tokens);
    const { model, sampler } = engine;
    await this.#runs(async () => {
      const generator = sampler.Generator.replay(model, original.state);
      const again: Take = { ...original, state: generator.state(), text: '' };
      const until = countTokens(original);
      this.#beginRun([again], until, original.id, original);
      this.manuscript.penDown(standing);
      let last: Take | undefined;
      let id = original.id;
      try {
        const { takes } = await drawTakes(engine, [{ take: again, until, generator }], this.#stopped, (progress) => {
          [last] = progress.takes;
          if (!last) return;
          if (id === original.id && !beginsWith(original.state.tokens, last.state.tokens)) id = crypto.randomUUID();
          this.#show(progress, { ...last, id });
        });
        [last] = takes;
        // Other words than the first time are a take of their own.
        if (last && id !== original.id) this.#keepTake({ ...last, id });
        this.#endRun(last ? outcomeOfReplay(generator, original, last) : null);
      } catch (error) {
        this.manuscript.write(original.text, original.id);
        throw error;
      } finally {
        generator.dispose();
      }
    });
  }

  /** The passage at the caret, as far as it stands there, for somebody else. */
  shared(): SharedPassage | null {
    const engine = this.#engine.value;
    const standing = this.standing.value;
    if (!engine || !standing) return null;
    const { take, tokens } = standing;
    return toShared(tokens === null ? take : cutTake(engine, take, tokens), words.library.titleOf(this.label.value));
  }

  /** A new story with what the model had read, in which it writes the passage again. */
  async openShared(passage: SharedPassage): Promise<void> {
    await this.#ready;
    const engine = this.#engine.value;
    if (!engine) return;
    try {
      const { title, prompt, begin, afterSpace, seed, settings, tokens, model, chain } = passage;
      const read = engine.tokenizer.text(prompt.slice(0, begin), false);
      const text = afterSpace && !/\s$/.test(read) && read !== '' ? `${read} ` : read;
      const dials = { ...this.dialTexts.value, seed, length: String(Math.max(1, tokens)) };
      const numbers = {
        temperature: String(settings.temperature),
        topP: String(settings.topP),
        topK: String(settings.topK),
      };
      const own = { ...settings, seed, length: tokens - (prompt.length - begin) };
      const beginning = { prompt: prompt.slice(0, begin), afterSpace };
      // Before anything is made of it: a passage that this sampler or this model cannot take is refused here.
      const take = beginTake(engine, beginning, own, crypto.randomUUID(), prompt.slice(begin));
      const id = await this.library.add(
        { title: words.share.titleOf(title), text },
        { dials: { ...dials, ...numbers } },
      );
      await this.openStory(id);
      if (this.phase.value !== 'ready') return;
      await this.#write(engine, [take], { take: take.id, from: text.length, to: text.length });
      const written = this.takes.value.get(take.id);
      if (!written) return;
      this.outcome.value = outcomeOfShared(written, tokens, model, chain);
      this.announcement.value = this.outcome.value;
    } catch (error) {
      this.#report('share', error);
    }
  }

  /** The words at the caret become the writer's own. */
  editFreely(): void {
    const standing = this.standing.value;
    if (!standing || !this.canRelease.value) return;
    this.manuscript.release(standing);
    this.outcome.value = words.status.released;
    this.announcement.value = words.status.released;
    this.#changed();
  }

  /** Has the model weigh again what it weighed at the word. @param offset of one of its characters, in the story */
  async weigh(offset: number): Promise<void> {
    const engine = this.#engine.value;
    const intact = this.#intact.value;
    this.alternatives.value = null;
    if (!engine || this.phase.value !== 'ready' || !intact) return;
    const { take, from, to } = intact;
    if (offset < from || offset > to) return;
    const word = wordIn(take.text, Math.min(offset - from, take.text.length - 1));
    if (!word) return;
    const at = tokenAt(engine, take, word.from);
    const options = await weighTokens(engine, take, at);
    // The writer may have gone on meanwhile.
    if (this.standing.peek()?.take !== take || this.run.peek()) return;
    this.alternatives.value = { take, at, word: take.text.slice(word.from, word.to), options };
  }

  /** Goes on from a word that the writer chose, in the place of the one that stands there. */
  async branch({ take, at }: Alternatives, token: number): Promise<void> {
    const { engine, dials } = this.#means() ?? {};
    const standing = this.standing.value;
    this.alternatives.value = null;
    if (!engine || !dials || standing?.take.id !== take.id) return;
    const { begin, state, passage } = take;
    const given = [...state.tokens.slice(begin, begin + at), token];
    const own = { ...state.settings, seed: state.seed, length: dials.length };
    const branch = beginTake(engine, beginningOf(take), own, passage, given);
    await this.#write(engine, [branch], { take: branch.id, from: standing.from, to: standing.to });
  }

  stop(): void {
    this.#stopAsked = true;
    if (this.#interrupted.value === null) return;
    this.#interrupted.value = null;
    this.#changed();
  }

  turn(dial: DialName, text: string): void {
    this.dialTexts.value = { ...this.dialTexts.value, [dial]: text };
    this.#changed();
  }

  preset(name: PresetName): void {
    this.dialTexts.value = { ...this.dialTexts.value, ...presets[name] };
    this.#changed();
  }

  rollSeed(): void {
    this.turn('seed', freshSeed());
  }

  /** With a new connection, since the browser may have taken the old one away. */
  async saveAgain(): Promise<void> {
    this.settle('storeSave');
    try {
      const store = await openStore();
      this.#store?.close();
      this.#store = store;
      // This tab holds the story, so that what is stored is its own.
      const stored = await store.load(this.storyId.value);
      this.keeper.value = this.#keep(store, stored?.revision ?? 0);
      this.#changed();
      await this.library.connect(store);
    } catch (error) {
      this.#report('storeSave', error);
    }
  }

  settle(trouble: Trouble): void {
    if (!this.troubles.value.has(trouble)) return;
    const troubles = new Map(this.troubles.value);
    troubles.delete(trouble);
    this.troubles.value = troubles;
  }

  async #openLibrary(): Promise<void> {
    try {
      this.#store = await openStore();
      await this.library.connect(this.#store);
    } catch (error) {
      this.#report('storeOpen', error);
      this.#place.value = 'here';
      await this.#takeUp();
      return;
    }
    const [latest] = this.library.entries.value;
    const asked = addressedStory();
    const there = this.library.entries.value.some(({ id }) => id === asked);
    await this.openStory(there && asked !== null ? asked : (latest?.id ?? firstStoryId));
  }

  /** Puts another story on the page, once what stands there is saved. */
  async openStory(id: string): Promise<void> {
    const store = this.#store;
    if (!store || !(await this.#settleStory())) return;
    const waiting = new AbortController();
    const { signal } = waiting;
    this.#leave = () => {
      waiting.abort();
    };
    batch(() => {
      this.storyId.value = id;
      this.outcome.value = null;
      this.#place.value = 'opening';
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
      this.#lay(saved ?? firstStory);
      this.keeper.value = this.#keep(store, saved?.revision ?? 0);
    } catch (error) {
      if (signal.aborted) return;
      this.#report('storeOpen', error);
    }
    this.#place.value = 'here';
    await this.#takeUp();
  }

  /** Stops what is being written and saves everything. False where it cannot be saved: then it had better stay on the page. */
  async #settleStory(): Promise<boolean> {
    this.#stopAsked = true;
    await this.#running;
    const { value: keeper } = this.keeper;
    if (keeper && !(await keeper.settle())) return false;
    this.keeper.value = null;
    this.#leave();
    return true;
  }

  async newStory(): Promise<void> {
    await this.#inLibrary(async () => {
      await this.openStory(await this.library.add({ title: '', text: '' }, { dials: this.dialTexts.value }));
    });
  }

  async duplicateStory(id: string): Promise<void> {
    await this.#inLibrary(async () => {
      if (id === this.storyId.value) await this.keeper.value?.settle();
      const copy = await this.library.duplicate(id, words.library.copyOf);
      if (copy !== undefined) await this.openStory(copy);
    });
  }

  async renameStory(id: string, title: string): Promise<void> {
    if (id === this.storyId.value) {
      this.title.value = title;
      this.#changed();
      return;
    }
    await this.#inLibrary(async () => {
      if (!(await this.library.rename(id, title))) this.#report('heldElsewhere', '');
    });
  }

  /** It can be brought back, at once or for a month. */
  async deleteStory(id: string): Promise<void> {
    await this.#inLibrary(async () => {
      const open = id === this.storyId.value;
      if (open && !(await this.#settleStory())) return;
      const entry = this.library.entries.value.find((entry) => entry.id === id);
      if (!(await this.library.delete(id))) {
        this.#report('heldElsewhere', '');
        return;
      }
      this.lastDeleted.value = { id, title: entry ? words.library.titleOf(entry) : '' };
      if (!open) return;
      const [next] = this.library.entries.value;
      if (next) await this.openStory(next.id);
      else await this.newStory();
    });
  }

  async restoreStory(id: string): Promise<void> {
    this.lastDeleted.value = null;
    await this.#inLibrary(async () => {
      if (await this.library.restore(id)) await this.openStory(id);
    });
  }

  async importFiles(files: readonly File[]): Promise<void> {
    const [only] = files;
    if (files.length === 1 && only?.name.endsWith('.json')) {
      const passage = readShared(parse(await only.text()));
      if (passage) {
        await this.openShared(passage);
        return;
      }
    }
    await this.#inLibrary(async () => {
      const [first] = await this.library.importFiles(files, { dials: this.dialTexts.value });
      if (first !== undefined) await this.openStory(first);
    });
  }

  async deleteForGood(id: string): Promise<void> {
    await this.#inLibrary(() => this.library.deleteForGood(id));
  }

  /** Also of a story on the page that cannot be saved. */
  async storyText(id: string): Promise<StoryText | undefined> {
    if (id === this.storyId.value) return { title: this.title.value, text: this.manuscript.text.value };
    return this.#inLibrary(async () => {
      const story = await this.library.load(id);
      return story && { title: readStoryLabel(story.data)?.title ?? '', text: story.text };
    });
  }

  exportLibrary(): Promise<Blob | undefined> {
    return this.#inLibrary(async () => {
      await this.keeper.value?.settle();
      return this.library.exportAll();
    });
  }

  async #inLibrary<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    this.settle('library');
    this.settle('heldElsewhere');
    try {
      return await work();
    } catch (error) {
      this.#report('library', error);
      return undefined;
    }
  }

  /** All that writing takes, when it can be done now. */
  #means(): { engine: WritingEngine; dials: Dials } | undefined {
    const engine = this.#engine.value;
    const reading = this.reading.value;
    return engine && this.canContinue.value && 'dials' in reading ? { engine, dials: reading.dials } : undefined;
  }

  /** Whether these dials and the text before it would have the passage go on as it was begun. */
  #isGoneOnWith(engine: WritingEngine, { take, from }: Standing, dials: Dials): boolean {
    if (!isDrawnWith(take, dials) || !isWrittenBy(engine, take)) return false;
    const { prompt } = beginningAfter(engine, this.manuscript.text.value.slice(0, from));
    return String(prompt) === String(beginningOf(take).prompt);
  }

  /** Another take of a passage, with the dials' settings and the next seed that it does not have. */
  #beginSibling(engine: WritingEngine, take: Take): Take | undefined {
    const reading = this.reading.value;
    if (!('dials' in reading)) return undefined;
    const seed = nextSeed(this.takes.value.values(), take.passage, reading.dials.seed);
    const sibling = beginTake(engine, beginningOf(take), { ...reading.dials, seed }, take.passage);
    this.turn('seed', seed);
    this.#keepTake(sibling);
    return sibling;
  }

  /** @param place where one of them goes into the story, and what it replaces with its first word */
  async #write(engine: WritingEngine, takes: readonly Take[], place: (Place & { take: string }) | null): Promise<void> {
    await this.#runs(async () => {
      const [first] = takes;
      if (!first) return;
      for (const take of takes) this.#keepTake(take);
      this.#beginRun(takes, first.wanted, place?.take ?? null, null);
      if (place) this.manuscript.penDown(place);
      const jobs = takes.map((take): Job => {
        const generator = engine.sampler.Generator.fromState(engine.model, take.state);
        return { take, until: take.wanted, generator };
      });
      try {
        const { takes: last, pace } = await drawTakes(engine, jobs, this.#stopped, (progress) => {
          for (const take of progress.takes) this.#keepTake(take);
          const shown = progress.takes.find(({ id }) => id === place?.take);
          this.#show(progress, shown);
        });
        this.#endRun(last[0] ? outcomeOfRun(engine, last, pace) : null);
      } finally {
        for (const { generator } of jobs) generator.dispose();
      }
    });
  }

  readonly #stopped = (): boolean => this.#stopAsked;

  #runs(work: () => Promise<void>): Promise<void> {
    const run = async (): Promise<void> => {
      try {
        await work();
      } catch (error) {
        batch(() => {
          this.#endRun(null);
          this.#report('run', error);
        });
      }
    };
    this.#running = run();
    return this.#running;
  }

  #beginRun(takes: readonly Take[], until: number, inStory: string | null, again: Take | null): void {
    this.#stopAsked = false;
    batch(() => {
      this.alternatives.value = null;
      this.run.value = {
        takes: takes.map(({ id, wanted }) => ({ id, until: wanted })),
        inStory,
        again,
        done: takes[0] ? countTokens(takes[0]) : 0,
        until,
        pace: null,
      };
      this.outcome.value = null;
      this.announcement.value = words.announce.writing;
      this.settle('run');
    });
  }

  #show({ takes: [first], pace }: Progress, inStory: Take | undefined): void {
    batch(() => {
      if (inStory && inStory.text !== '') this.manuscript.write(inStory.text, inStory.id);
      if (first && this.run.value) this.run.value = { ...this.run.value, done: countTokens(first), pace };
    });
    this.#changed();
  }

  #endRun(outcome: string | null): void {
    batch(() => {
      this.manuscript.penUp();
      this.run.value = null;
      this.outcome.value = outcome;
      this.announcement.value = outcome ?? '';
    });
    this.#changed();
    this.keeper.value?.keepForGood();
    // Now there is something to lose, and the writer has just done something.
    if (!this.#askedToKeep) void this.#store?.persist();
    this.#askedToKeep = true;
  }

  /** A take only grows: one that is written again, or less of it, is the same. */
  #keepTake(take: Take): void {
    const known = this.takes.value.get(take.id);
    const longer = known && countTokens(known) > countTokens(take) && beginsWith(known.state.tokens, take.state.tokens);
    const kept = longer ? { ...known, wanted: take.wanted } : { ...take, starred: known?.starred ?? take.starred };
    this.takes.value = new Map(this.takes.value).set(take.id, kept);
  }

  /** Once both the story and the model are there: goes on with an interrupted run, or has the model read the story. */
  async #takeUp(): Promise<void> {
    const engine = this.#engine.value;
    if (!engine || this.#place.value !== 'here') return;
    const run = this.#interrupted.value;
    this.#interrupted.value = null;
    if (!run) {
      readAhead(engine, this.manuscript.text.value.slice(0, this.manuscript.caret.value));
      return;
    }
    const takes = run.takes.flatMap(({ id, until }) => {
      const take = this.takes.value.get(id);
      return take ? [{ ...take, wanted: until }] : [];
    });
    // Another model could not end with the same text.
    if (takes.every((take) => isWrittenBy(engine, take))) await this.#write(engine, takes, run.inStory);
    else this.outcome.value = words.status.cannotGoOn;
  }

  #keep(store: Store, revision: number): StoryKeeper {
    return new StoryKeeper(store, revision, {
      snapshot: () => this.#snapshot(),
      kept: () => {
        this.settle('storeSave');
      },
      notKept: (error) => {
        this.#report('storeSave', error);
      },
    });
  }

  #snapshot(): Story {
    const { manuscript } = this;
    const run = this.run.value;
    const pen = manuscript.pen.value;
    let text = manuscript.text.value;
    let places = manuscript.places.value;
    if (run?.again && pen) {
      // What is being written again is as good as written.
      const { id } = run.again;
      const grown = run.again.text.length - (pen.to - pen.from);
      const moved = (offset: number): number => (offset >= pen.to ? offset + grown : offset);
      places = places
        .filter(({ from, to }) => to <= pen.from || from >= pen.to)
        .map((place) => ({ ...place, from: moved(place.from), to: moved(place.to) }))
        .concat({ take: id, from: pen.from, to: pen.from + run.again.text.length });
      text = text.slice(0, pen.from) + run.again.text + text.slice(pen.to);
    }
    const desk: SavedDesk = {
      label: this.label.value,
      dials: this.dialTexts.value,
      takes: [...this.takes.value.values()],
      places,
      caret: manuscript.caret.value,
      run:
        run && !run.again
          ? {
              takes: run.takes,
              inStory: run.inStory !== null && pen ? { take: run.inStory, from: pen.from, to: pen.to } : null,
            }
          : this.#interrupted.value,
    };
    return toStory(this.storyId.value, text, desk);
  }

  #lay(story: Omit<Story, 'id'>): void {
    const { dials, takes, places, caret, run } = fromStory(story);
    batch(() => {
      this.title.value = readStoryLabel(story.data)?.title ?? '';
      if (dials) this.dialTexts.value = dials;
      this.takes.value = new Map(takes.map((take) => [take.id, take]));
      this.manuscript.load(story.text, places, caret);
      this.#interrupted.value = run;
    });
  }

  /** Another tab is writing: shows what it has saved, and leaves everything else to it. */
  async #readElsewhere(store: Store, id: string): Promise<void> {
    let saved: Omit<Story, 'id'> | undefined;
    try {
      saved = (await store.load(id)) ?? firstStory;
    } catch (error) {
      this.#report('storeOpen', error);
    }
    // By now the other tab may be gone, and this one the writer.
    if (this.#place.value !== 'opening' || this.storyId.value !== id) return;
    batch(() => {
      if (saved) this.#lay(saved);
      this.#interrupted.value = null;
      this.#place.value = 'elsewhere';
    });
  }

  #changed(): void {
    this.keeper.value?.keep();
  }

  #report(trouble: Trouble, error: unknown): void {
    const details = error instanceof Error ? error.message : String(error);
    this.troubles.value = new Map(this.troubles.value).set(trouble, details);
  }
}

/** While the writer reads the story the model does too, so that its first word comes at once. */
function readAhead({ model, tokenizer }: WritingEngine, story: string): void {
  // A model that cannot read it says so when it is asked to write.
  model(tokenizer.prompt(story, model.contextLength)).catch(() => undefined);
}

const firstStory: Omit<Story, 'id'> = { text: words.opening, state: null };

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
