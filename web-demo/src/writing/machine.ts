import { batch, computed, effect, signal, untracked } from '@preact/signals';
import type { ModelShelf } from '../models/model-shelf';
import type { Place } from '../story/story-document';
import { words } from '../words';
import { drawTakes, type Job, type Progress } from './drawing';
import type { OpenStory } from './open-story';
import { outcomeOfReplay, outcomeOfRun } from './outcomes';
import { promptOf } from './prompt';
import { beginsWith, countTokens, cutTake, isWrittenBy, type Standing, type Take } from './take';
import type { Troubles } from './troubles';
import type { LoadedModel } from '../models/loaded-model';

export type Phase = 'opening' | 'elsewhere' | 'loading' | 'failed' | 'ready' | 'writing';

/** Writes into the story on the page with the model in use, one run at a time. */
export class Machine {
  /** How the last run ended, in words. */
  readonly outcome = signal<string | null>(null);
  /** What a screen reader should say now. */
  readonly announcement = signal('');
  /** Told when a run is over. */
  onEnd: () => void = () => undefined;

  readonly #models: ModelShelf;
  readonly #story: OpenStory;
  readonly #troubles: Troubles;
  #stopAsked = false;
  #running: Promise<void> = Promise.resolve();

  readonly engine = computed((): LoadedModel | null => this.#models.loaded.value);
  readonly loading = computed(() => this.#models.loading.value);

  readonly phase = computed((): Phase => {
    const { place, run } = this.#story;
    if (place.value !== 'here') return place.value;
    if (run.value) return 'writing';
    if (this.engine.value) return 'ready';
    return this.loading.value ? 'loading' : 'failed';
  });

  /** Whether a run waits for the model, to go on where a reload interrupted it. */
  readonly willGoOn = computed(() => this.#story.interrupted.value !== null);
  readonly canStop = computed(() => this.#story.run.value !== null || this.willGoOn.value);

  constructor(models: ModelShelf, story: OpenStory, troubles: Troubles) {
    this.#models = models;
    this.#story = story;
    this.#troubles = troubles;
    effect(() => {
      const failure = models.failure.value;
      if (failure === null) troubles.settle('model');
      else troubles.report('model', failure);
    });
    effect(() => {
      if (this.engine.value) this.announcement.value = words.announce.ready;
    });
    effect(() => {
      if (story.manuscript.refused.value) this.announcement.value = words.passage.beingWritten;
    });
    effect(() => {
      const engine = this.engine.value;
      if (engine && story.place.value === 'here') untracked(() => void this.#takeUp(engine));
    });
  }

  /** The same model once more, where it failed. */
  async reload(): Promise<void> {
    this.#troubles.settle('run');
    await this.#models.use(this.#models.chosen.value);
  }

  say(outcome: string): void {
    this.outcome.value = outcome;
    this.announcement.value = outcome;
  }

  /** @param place where one of them goes into the story, and what it replaces with its first word */
  async write(takes: readonly Take[], place: (Place & { readonly take: string }) | null): Promise<void> {
    const engine = this.engine.value;
    const [first] = takes;
    if (!engine || !first) return;
    await this.#runs(async () => {
      for (const take of takes) this.#story.keepTake(take);
      this.#begin(takes, first.wanted, place?.take ?? null, null);
      if (place) this.#story.manuscript.penDown(place);
      const jobs = takes.map((take): Job => {
        const generator = engine.sampler.Generator.fromState(engine.model, take.state);
        return { take, until: take.wanted, generator };
      });
      try {
        const { takes: last, pace } = await drawTakes(engine, jobs, this.#stopped, (progress) => {
          for (const take of progress.takes) this.#story.keepTake(take);
          const shown = progress.takes.find(({ id }) => id === place?.take);
          this.#show(progress, shown);
        });
        this.#end(last[0] ? outcomeOfRun(engine, last, pace) : null);
      } finally {
        for (const { generator } of jobs) generator.dispose();
      }
    });
  }

  /** Writes what stands there again, from its own seed and settings: word for word, while the model's numbers are. */
  async replay(standing: Standing): Promise<void> {
    const engine = this.engine.value;
    if (!engine) return;
    const original = standing.tokens === null ? standing.take : cutTake(engine, standing.take, standing.tokens);
    const { manuscript } = this.#story;
    await this.#runs(async () => {
      const generator = engine.sampler.Generator.replay(engine.model, original.state);
      const again: Take = { ...original, state: generator.state(), text: '' };
      const until = countTokens(original);
      this.#begin([again], until, original.id, original);
      manuscript.penDown(standing);
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
        if (last && id !== original.id) this.#story.keepTake({ ...last, id });
        this.#end(last ? outcomeOfReplay(generator, original, last) : null);
      } catch (error) {
        manuscript.write(original.text, original.id);
        throw error;
      } finally {
        generator.dispose();
      }
    });
  }

  stop(): void {
    this.#stopAsked = true;
    if (this.#story.interrupted.value === null) return;
    this.#story.interrupted.value = null;
    this.#story.onChange();
  }

  /** Stops what is being written; resolves when nothing is. */
  async rest(): Promise<void> {
    this.#stopAsked = true;
    await this.#running;
  }

  readonly #stopped = (): boolean => this.#stopAsked;

  #runs(work: () => Promise<void>): Promise<void> {
    const run = async (): Promise<void> => {
      try {
        await work();
      } catch (error) {
        batch(() => {
          this.#end(null);
          this.#troubles.report('run', error);
        });
      }
    };
    this.#running = run();
    return this.#running;
  }

  #begin(takes: readonly Take[], until: number, inStory: string | null, again: Take | null): void {
    this.#stopAsked = false;
    batch(() => {
      this.#story.run.value = {
        takes: takes.map(({ id, wanted }) => ({ id, until: wanted })),
        inStory,
        again,
        done: takes[0] ? countTokens(takes[0]) : 0,
        until,
        pace: null,
      };
      this.outcome.value = null;
      this.announcement.value = words.announce.writing;
      this.#troubles.settle('run');
    });
  }

  #show({ takes: [first], pace }: Progress, inStory: Take | undefined): void {
    const { manuscript, run, onChange } = this.#story;
    batch(() => {
      if (inStory && inStory.text !== '') manuscript.write(inStory.text, inStory.id);
      if (first && run.value) run.value = { ...run.value, done: countTokens(first), pace };
    });
    onChange();
  }

  #end(outcome: string | null): void {
    batch(() => {
      this.#story.manuscript.penUp();
      this.#story.run.value = null;
      this.outcome.value = outcome;
      this.announcement.value = outcome ?? '';
    });
    this.#story.onChange();
    this.onEnd();
  }

  /** Once both the story and the model are there: goes on with an interrupted run, or has the model read the story. */
  async #takeUp(engine: LoadedModel): Promise<void> {
    const { manuscript, takes, interrupted } = this.#story;
    const run = interrupted.value;
    interrupted.value = null;
    if (!run) {
      readAhead(engine, manuscript.text.value.slice(0, manuscript.caret.value));
      return;
    }
    const begun = run.takes.flatMap(({ id, until }) => {
      const take = takes.value.get(id);
      return take ? [{ ...take, wanted: until }] : [];
    });
    // Another model could not end with the same text.
    if (begun.every((take) => isWrittenBy(engine, take))) await this.write(begun, run.inStory);
    else this.outcome.value = words.status.cannotGoOn;
  }
}

/** While the writer reads the story the model does too, so that its first word comes at once. */
function readAhead({ model, tokenizer }: LoadedModel, story: string): void {
  // A model that cannot read it says so when it is asked to write.
  model(promptOf(tokenizer, story, model.contextLength)).catch(() => undefined);
}
