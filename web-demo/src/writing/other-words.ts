import { effect, signal } from '@preact/signals';
import type { Machine } from './machine';
import type { OpenStory } from './open-story';
import type { Passages } from './passages';
import { beginningOf, beginTake, tokenAt, type Take } from './take';
import { weighTokens, wordIn, type WeighedToken } from './weighed-tokens';

/** What else the model weighed at a token. */
export interface Alternatives {
  readonly take: Take;
  /** The index of the token among the take's own. */
  readonly at: number;
  /** The word that stands there. */
  readonly word: string;
  readonly options: readonly WeighedToken[];
}

/** At any word of the machine's: the others that it weighed, from which it can go on. */
export class OtherWords {
  /** At the word that was pressed, while they are shown. */
  readonly shown = signal<Alternatives | null>(null);
  readonly #story: OpenStory;
  readonly #machine: Machine;
  readonly #passages: Passages;

  constructor(story: OpenStory, machine: Machine, passages: Passages) {
    this.#story = story;
    this.#machine = machine;
    this.#passages = passages;
    effect(() => {
      if (story.run.value) this.shown.value = null;
    });
  }

  canWeigh(): boolean {
    return this.#machine.phase.value === 'ready' && this.#passages.intact.value !== null;
  }

  /** Has the model weigh again what it weighed at the word. @param offset of one of its characters, in the story */
  async weigh(offset: number): Promise<void> {
    const engine = this.#machine.engine.value;
    const intact = this.#passages.intact.value;
    this.shown.value = null;
    if (!engine || !intact || !this.canWeigh()) return;
    const { take, from, to } = intact;
    if (offset < from || offset > to) return;
    const word = wordIn(take.text, Math.min(offset - from, take.text.length - 1));
    if (!word) return;
    const at = tokenAt(engine, take, word.from);
    const options = await weighTokens(engine, take, at);
    // The writer may have gone on meanwhile.
    if (this.#passages.standing.peek()?.take !== take || this.#story.run.peek()) return;
    this.shown.value = { take, at, word: take.text.slice(word.from, word.to), options };
  }

  /** Goes on from a word that the writer chose, in the place of the one that stands there. */
  async branch({ take, at }: Alternatives, token: number): Promise<void> {
    const { engine, dials } = this.#passages.means() ?? {};
    const standing = this.#passages.standing.value;
    this.shown.value = null;
    if (!engine || !dials || standing?.take.id !== take.id) return;
    const { begin, state, passage } = take;
    const given = [...state.tokens.slice(begin, begin + at), token];
    const own = { ...state.settings, seed: state.seed, length: dials.length };
    const branch = beginTake(engine, beginningOf(take), own, passage, given);
    await this.#machine.write([branch], { take: branch.id, from: standing.from, to: standing.to });
  }
}
