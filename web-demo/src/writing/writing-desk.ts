import { batch, computed, signal } from '@preact/signals';
import { openStore, type Store, type Story } from 'quillmate-sampler/store';
import { readSavedDesk, storyId } from '../keeping/saved-desk';
import { becomeSoleWriter } from '../keeping/sole-writer';
import { StoryKeeper } from '../keeping/story-keeper';
import { words } from '../words';
import { firstDials, freshSeed, readDials, type DialName } from './dials';
import {
  beginPassage,
  countTokens,
  growPassage,
  isDrawnWith,
  isEnded,
  isWrittenBy,
  rewindPassage,
  type Passage,
} from './passage';
import { loadWritingEngine, type LoadedBytes, type WritingEngine } from './writing-engine';

export type Phase = 'opening' | 'elsewhere' | 'loading' | 'failed' | 'ready' | 'writing';

export type Trouble = 'model' | 'run' | 'storeOpen' | 'storeSave';

interface Run {
  readonly until: number;
  readonly startedAt: number;
  /** Tokens per second, once there are two tokens to measure between. */
  readonly pace: number | null;
}

/** The state of the page and everything a writer can do to it. Knows nothing of the document. */
export class WritingDesk {
  readonly text = signal('');
  readonly dialTexts = signal(firstDials());
  readonly run = signal<Run | null>(null);
  readonly loading = signal<LoadedBytes | null>(null);
  /** How the last run ended, in words. */
  readonly outcome = signal<string | null>(null);
  /** What a screen reader should say now. */
  readonly announcement = signal('');
  readonly troubles = signal<ReadonlyMap<Trouble, string>>(new Map());
  readonly keeper = signal<StoryKeeper | null>(null);

  readonly #place = signal<'opening' | 'elsewhere' | 'here'>('opening');
  readonly #engine = signal<WritingEngine | null>(null);
  /** Those that stood on this page, the latest first: Undo and Redo bring an earlier one back. */
  readonly #passages = signal<readonly Passage[]>([]);
  /** The end of a run that a reload interrupted, until it is taken up again. */
  readonly #interruptedUntil = signal<number | null>(null);
  #stopAsked = false;

  readonly reading = computed(() => readDials(this.dialTexts.value));

  /** The passage that ends the story as it was written: an edit makes it the writer's own, undoing that brings it back. */
  readonly passage = computed(() => this.#passages.value.find(({ story }) => story === this.text.value) ?? null);

  readonly phase = computed((): Phase => {
    if (this.#place.value !== 'here') return this.#place.value;
    if (this.run.value) return 'writing';
    if (this.#engine.value) return 'ready';
    return this.loading.value ? 'loading' : 'failed';
  });

  readonly canContinue = computed(() => this.phase.value === 'ready' && 'dials' in this.reading.value);
  readonly canRegenerate = computed(() => this.canContinue.value && this.passage.value !== null);

  /** Whether a run waits for the model, to go on where a reload interrupted it. */
  readonly willGoOn = computed(() => this.#interruptedUntil.value !== null && this.passage.value !== null);
  readonly canStop = computed(() => this.run.value !== null || this.willGoOn.value);

  /** Whether Regenerate would write the same words; null when there is nothing to regenerate. */
  readonly repeats = computed(() => {
    const engine = this.#engine.value;
    const passage = this.passage.value;
    const reading = this.reading.value;
    if (!engine || !passage || !('dials' in reading)) return null;
    return isDrawnWith(passage, reading.dials) && isWrittenBy(engine, passage);
  });

  async open(): Promise<void> {
    // The model takes seconds, so it does not wait for the story.
    await Promise.all([this.loadModel(), this.#openStory()]);
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

  /** Goes on with the passage, or begins one where there is none that these dials could go on with. */
  async continue(): Promise<void> {
    const engine = this.#engine.value;
    const reading = this.reading.value;
    if (!engine || !this.canContinue.value || !('dials' in reading)) return;
    const passage = this.passage.value;
    if (passage && this.repeats.value && !isEnded(engine, passage)) {
      const count = countTokens(passage);
      const wanted = count < passage.wanted ? passage.wanted : count + reading.dials.length;
      await this.#write(engine, () => ({ ...passage, wanted }), wanted);
    } else {
      const story = this.text.value;
      await this.#write(engine, () => beginPassage(engine, story, reading.dials), reading.dials.length);
    }
  }

  /** Writes the passage again from its beginning: the same one, or another when the dials have changed. */
  async regenerate(): Promise<void> {
    const engine = this.#engine.value;
    const reading = this.reading.value;
    const passage = this.passage.value;
    if (!engine || !passage || !this.canRegenerate.value || !('dials' in reading)) return;
    const { dials } = reading;
    if (this.repeats.value) {
      await this.#write(engine, () => rewindPassage(passage), countTokens(passage));
    } else {
      const story = this.text.value.slice(0, passage.start);
      await this.#write(engine, () => beginPassage(engine, story, dials), dials.length);
    }
  }

  stop(): void {
    this.#stopAsked = true;
    if (this.#interruptedUntil.value === null) return;
    this.#interruptedUntil.value = null;
    this.#changed();
  }

  edit(text: string): void {
    batch(() => {
      this.text.value = text;
      this.outcome.value = null;
      this.#interruptedUntil.value = null;
    });
    this.#changed();
  }

  turn(dial: DialName, text: string): void {
    this.dialTexts.value = { ...this.dialTexts.value, [dial]: text };
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
      this.keeper.value?.close();
      this.keeper.value = this.#keep(store);
      this.#changed();
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

  async #openStory(): Promise<void> {
    try {
      const store = await openStore();
      await becomeSoleWriter(store, storyId, () => void this.#readElsewhere(store));
      this.#show((await store.load(storyId)) ?? firstStory);
      this.keeper.value = this.#keep(store);
    } catch (error) {
      this.#report('storeOpen', error);
    }
    this.#place.value = 'here';
    await this.#takeUp();
  }

  async #write(engine: WritingEngine, begin: () => Passage, until: number): Promise<void> {
    const before = { text: this.text.value, passages: this.#passages.value };
    this.#stopAsked = false;
    batch(() => {
      this.run.value = { until, startedAt: Date.now(), pace: null };
      this.outcome.value = null;
      this.announcement.value = words.announce.writing;
      this.settle('run');
    });
    try {
      const first = begin();
      this.#passages.value = [first, ...before.passages.slice(0, rememberedPassages)];
      this.#put(first);
      const last = await this.#draw(engine, first, until);
      batch(() => {
        // Nothing more is coming, so what was held back of an unfinished character is shown.
        this.#put(growPassage(engine, last, last.state, false));
        this.#endRun(describe(engine, last, until, this.run.value?.pace ?? null));
      });
    } catch (error) {
      batch(() => {
        // What was there before and is still to be written again is put back at once.
        if (before.text.startsWith(this.text.value)) {
          this.text.value = before.text;
          this.#passages.value = before.passages;
        }
        this.#endRun(null);
        this.#report('run', error);
      });
    }
  }

  /** Draws and shows tokens until there are enough, the model closes the text, or the writer stops it. */
  async #draw(engine: WritingEngine, passage: Passage, until: number): Promise<Passage> {
    const generator = engine.sampler.Generator.fromState(engine.model, passage.state);
    let count = countTokens(passage);
    let ended = isEnded(engine, passage);
    let firstAt: number | null = null;
    let drawnSince = 0;
    let shownAt = -Infinity;
    const show = (): void => {
      shownAt = performance.now();
      const pace = firstAt !== null && drawnSince > 0 ? (1000 * drawnSince) / (shownAt - firstAt) : null;
      passage = growPassage(engine, passage, generator.state(), true);
      this.#put(passage, pace);
    };
    try {
      while (count < until && !ended && !this.#stopAsked) {
        ended = (await generator.step()) === engine.model.eosTokenId;
        count += 1;
        // The first token waits for the model to read the story, which says nothing of its pace.
        if (firstAt === null) firstAt = performance.now();
        else drawnSince += 1;
        if (performance.now() - shownAt >= timeBetweenShows) show();
      }
    } finally {
      show(); // also of a run that fails, all that was drawn
      generator.dispose();
    }
    return passage;
  }

  #put(passage: Passage, pace?: number | null): void {
    batch(() => {
      this.#passages.value = [passage, ...this.#passages.value.slice(1)];
      this.text.value = passage.story;
      if (pace !== undefined && this.run.value) this.run.value = { ...this.run.value, pace };
    });
    this.#changed();
  }

  #endRun(outcome: string | null): void {
    this.run.value = null;
    this.outcome.value = outcome;
    this.announcement.value = outcome ?? '';
    this.keeper.value?.keepForGood();
  }

  /** Once both the story and the model are there: goes on with an interrupted run, or has the model read the story. */
  async #takeUp(): Promise<void> {
    const engine = this.#engine.value;
    if (!engine || this.#place.value !== 'here') return;
    const until = this.#interruptedUntil.value;
    const passage = this.passage.value;
    this.#interruptedUntil.value = null;
    if (until === null || !passage) {
      readAhead(engine, this.text.value);
      return;
    }
    // Another model, or a page that turns tokens into text in another way, could not end with the same text.
    const same =
      isWrittenBy(engine, passage) && growPassage(engine, passage, passage.state, true).story === passage.story;
    if (same) await this.#write(engine, () => passage, until);
    else this.outcome.value = words.status.cannotGoOn;
  }

  #keep(store: Store): StoryKeeper {
    return new StoryKeeper(store, {
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
    const passage = this.passage.value;
    return {
      id: storyId,
      text: this.text.value,
      state: passage?.state ?? null,
      data: {
        dials: this.dialTexts.value,
        passage: passage && { start: passage.start, wanted: passage.wanted },
        until: this.run.value?.until ?? this.#interruptedUntil.value,
      },
    };
  }

  #show({ text, state, data }: Omit<Story, 'id'>): void {
    const desk = readSavedDesk(data);
    batch(() => {
      this.text.value = text;
      if (desk) this.dialTexts.value = desk.dials;
      this.#passages.value = state && desk?.passage ? [{ ...desk.passage, state, story: text }] : [];
      this.#interruptedUntil.value = desk?.until ?? null;
    });
  }

  /** Another tab is writing: shows what it has saved, and leaves everything else to it. */
  async #readElsewhere(store: Store): Promise<void> {
    let saved: Omit<Story, 'id'> | undefined;
    try {
      saved = (await store.load(storyId)) ?? firstStory;
    } catch (error) {
      this.#report('storeOpen', error);
    }
    // By now the other tab may be gone, and this one the writer.
    if (this.#place.value === 'here') return;
    batch(() => {
      if (saved) this.#show(saved);
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

const rememberedPassages = 20;

/** In milliseconds: as fluent as reading needs, and time for the model that drawing the page more often would take. */
const timeBetweenShows = 50;

/** While the writer reads the story the model does too, so that its first word comes at once. */
function readAhead({ model, tokenizer }: WritingEngine, story: string): void {
  // A model that cannot read it says so when it is asked to write.
  model(tokenizer.prompt(story, model.contextLength)).catch(() => undefined);
}

const firstStory: Omit<Story, 'id'> = { text: words.opening, state: null };

function describe(engine: WritingEngine, passage: Passage, until: number, pace: number | null): string {
  if (isEnded(engine, passage)) return words.status.ended;
  const count = countTokens(passage);
  return count < until ? words.status.stopped(count, passage.wanted) : words.status.done(count, pace);
}
