import { computed } from '@preact/signals';
import { words } from '../words';
import type { Dials } from './dials';
import type { Machine } from './machine';
import type { OpenStory } from './open-story';
import {
  beginningAfter,
  beginningOf,
  beginTake,
  countTokens,
  cutTake,
  isDrawnWith,
  isEnded,
  isWrittenBy,
  nextSeed,
  standingOf,
  type Standing,
  type Take,
} from './take';
import type { LoadedModel } from '../models/loaded-model';

/** How many takes are written side by side. */
const severalTakes = 3;

/** The machine's passages in the story, and what a writer can have done at the caret and with the one that is there. */
export class Passages {
  readonly #story: OpenStory;
  readonly #machine: Machine;

  /** The take whose words are at the caret or are being written. */
  readonly standing = computed((): Standing | null => {
    const { manuscript, takes } = this.#story;
    const writing = this.#story.run.value?.inStory ?? null;
    const id = writing ?? manuscript.take.value ?? manuscript.takeBefore.value;
    const take = id === null ? undefined : takes.value.get(id);
    const place = manuscript.places.value.find((place) => place.take === id);
    if (!take || !place) return null;
    const standing = standingOf(take, place, manuscript.text.value, this.#machine.engine.value);
    const isAtCaret = standing.to >= manuscript.caret.value; // else what follows it are the writer's own line feeds
    return writing !== null || isAtCaret ? standing : null;
  });

  /** The same, while the writer has not changed the words. */
  readonly intact = computed(() => {
    const standing = this.standing.value;
    return standing && standing.tokens !== null ? { ...standing, tokens: standing.tokens } : null;
  });

  /** All takes of the passage at the caret, or of the one that is being written, the oldest first. */
  readonly siblings = computed((): readonly Take[] => {
    const passage = this.standing.value?.take.passage;
    return passage === undefined
      ? []
      : [...this.#story.takes.value.values()].filter((take) => take.passage === passage);
  });

  /** How many tokens of the machine's stand at the caret, or have been written in this run. */
  readonly written = computed(() => this.#story.run.value?.done ?? this.standing.value?.tokens ?? 0);

  readonly canContinue = computed(() => this.#isReady.value && 'dials' in this.#story.reading.value);
  readonly canRegenerate = computed(() => this.#isReady.value && this.standing.value !== null);
  readonly canTakeAnew = computed(() => this.canContinue.value && this.standing.value !== null);
  readonly canKeepWriting = computed(() => {
    const engine = this.#machine.engine.value;
    const intact = this.intact.value;
    if (!engine || !intact || !this.canContinue.value) return false;
    return intact.tokens < countTokens(intact.take) || !isEnded(engine, intact.take);
  });
  /** Words can be the writer's own whatever the machine does. */
  readonly canRelease = computed(
    () => this.#story.place.value === 'here' && !this.#story.run.value && this.standing.value !== null,
  );

  /** Whether the model in use wrote the passage at the caret; null when there is none. */
  readonly sameModel = computed(() => {
    const engine = this.#machine.engine.value;
    const standing = this.standing.value;
    return engine && standing ? isWrittenBy(engine, standing.take) : null;
  });

  readonly #isReady = computed(() => this.#machine.phase.value === 'ready');

  constructor(story: OpenStory, machine: Machine) {
    this.#story = story;
    this.#machine = machine;
  }

  /** All that writing takes, when it can be done now. */
  means(): { engine: LoadedModel; dials: Dials } | undefined {
    const engine = this.#machine.engine.value;
    const reading = this.#story.reading.value;
    return engine && this.canContinue.value && 'dials' in reading ? { engine, dials: reading.dials } : undefined;
  }

  /** Writes at the caret: goes on with the passage that ends there, if these dials do, or begins one. */
  async continue(): Promise<void> {
    const { engine, dials } = this.means() ?? {};
    if (!engine || !dials) return;
    const at = this.#story.manuscript.caret.value;
    const intact = this.intact.value;
    if (intact?.to === at && this.canKeepWriting.value && this.#isGoneOnWith(engine, intact, dials)) {
      await this.keepWriting();
    } else {
      const take = this.#beginHere(engine, dials);
      await this.#machine.write([take], { take: take.id, from: at, to: at });
    }
  }

  /** The passage at the caret goes on as it was begun, whatever the dials say now but for the number of tokens. */
  async keepWriting(): Promise<void> {
    const { engine, dials } = this.means() ?? {};
    const intact = this.intact.value;
    if (!engine || !dials || !this.canKeepWriting.value || !intact) return;
    const { tokens, from, to } = intact;
    const wanted = tokens < intact.take.wanted ? intact.take.wanted : tokens + dials.length;
    // What another model adds is a take of its own.
    const id = isWrittenBy(engine, intact.take) ? intact.take.id : crypto.randomUUID();
    const take = { ...cutTake(engine, intact.take, tokens), id, wanted };
    await this.#machine.write([take], { take: id, from, to });
  }

  /** The next seed, in the place of the passage at the caret. */
  async newTake(): Promise<void> {
    const { engine, dials } = this.means() ?? {};
    const standing = this.standing.value;
    if (!engine || !dials || !standing) return;
    const take = this.#beginSibling(engine, standing.take, dials);
    await this.#machine.write([take], { take: take.id, from: standing.from, to: standing.to });
  }

  /** Several seeds side by side: of the passage at the caret, or of a new one whose first take goes into the story. */
  async writeSeveral(): Promise<void> {
    const { engine, dials } = this.means() ?? {};
    if (!engine || !dials) return;
    const standing = this.standing.value;
    const at = this.#story.manuscript.caret.value;
    const first = standing ? this.#beginSibling(engine, standing.take, dials) : this.#beginHere(engine, dials);
    this.#story.keepTake(first);
    const takes = [first];
    while (takes.length < severalTakes) takes.push(this.#beginSibling(engine, first, dials));
    if (standing) {
      await this.#machine.write(takes, null);
    } else {
      this.#story.turn('seed', first.state.seed);
      await this.#machine.write(takes, { take: first.id, from: at, to: at });
    }
  }

  /** Puts another take of the passage at the caret into the story. */
  pick(take: Take): void {
    const standing = this.standing.value;
    if (!standing || this.#story.run.value || take.text === '') return;
    this.#story.manuscript.replace(standing, take.text, take.id);
    this.#machine.say(words.status.picked(take.state.seed));
    this.#story.onChange();
  }

  /** Writes the passage at the caret again. */
  async regenerate(): Promise<void> {
    const standing = this.standing.value;
    if (standing && this.canRegenerate.value) await this.#machine.replay(standing);
  }

  /** The words at the caret become the writer's own. */
  editFreely(): void {
    const standing = this.standing.value;
    if (!standing || !this.canRelease.value) return;
    this.#story.manuscript.release(standing);
    this.#machine.say(words.status.released);
    this.#story.onChange();
  }

  /** Whether these dials and the text before it would have the passage go on as it was begun. */
  #isGoneOnWith(engine: LoadedModel, { take, from }: Standing, dials: Dials): boolean {
    if (!isDrawnWith(take, dials) || !isWrittenBy(engine, take)) return false;
    const { prompt } = beginningAfter(engine, this.#story.manuscript.text.value.slice(0, from));
    return String(prompt) === String(beginningOf(take).prompt);
  }

  #beginHere(engine: LoadedModel, dials: Dials): Take {
    const { manuscript } = this.#story;
    const before = manuscript.text.value.slice(0, manuscript.caret.value);
    return beginTake(engine, beginningAfter(engine, before), dials, crypto.randomUUID());
  }

  /** Another take of a passage, with the dials' settings and the next seed that it does not have. */
  #beginSibling(engine: LoadedModel, take: Take, dials: Dials): Take {
    const seed = nextSeed(this.#story.takes.value.values(), take.passage, dials.seed);
    const sibling = beginTake(engine, beginningOf(take), { ...dials, seed }, take.passage);
    this.#story.turn('seed', seed);
    this.#story.keepTake(sibling);
    return sibling;
  }
}
