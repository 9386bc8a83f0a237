import { words } from '../words';
import type { Stories } from '../library/stories';
import type { Machine } from './machine';
import type { OpenStory } from './open-story';
import { outcomeOfShared } from './outcomes';
import type { Passages } from './passages';
import { dialsOf, fromLinkText, longestShared, toShared, type SharedPassage } from './shared-passage';
import { beginTake, countTokens, cutTake } from './take';
import type { Troubles } from './troubles';
import type { LoadedModel } from '../models/loaded-model';

/** Passages for somebody else, and from somebody else. */
export class Sharing {
  readonly #story: OpenStory;
  readonly #machine: Machine;
  readonly #passages: Passages;
  readonly #stories: Stories;
  readonly #troubles: Troubles;

  constructor(story: OpenStory, machine: Machine, passages: Passages, stories: Stories, troubles: Troubles) {
    this.#story = story;
    this.#machine = machine;
    this.#passages = passages;
    this.#stories = stories;
    this.#troubles = troubles;
  }

  /** The passage at the caret, as far as it stands there. */
  offer(): SharedPassage | null {
    const engine = this.#machine.engine.value;
    const standing = this.#passages.standing.value;
    if (!engine || !standing) return null;
    const { take, tokens } = standing;
    const title = words.library.titleOf(this.#story.label.value);
    const standingTokens = tokens ?? countTokens(take);
    const most = take.state.promptLength - take.begin + longestShared;
    if (standingTokens > most) this.#machine.say(words.share.onlyFirst(most));
    return toShared(cutTake(engine, take, Math.min(standingTokens, most)), title);
  }

  /** @returns whether there is a story now that writes it */
  async openLink(link: string): Promise<boolean> {
    return this.open(await fromLinkText(link));
  }

  /**
   * A new story with what the model had read, in which it writes the passage again.
   * @param passage null for one that is not whole
   */
  async open(passage: SharedPassage | null): Promise<boolean> {
    if (!passage) {
      this.#troubles.report('share', words.share.broken);
      return false;
    }
    const engine = this.#machine.engine.value;
    if (!engine) {
      this.#troubles.report('share', words.share.noModel);
      return false;
    }
    if (passage.prompt.some((token) => token >= engine.model.vocabSize)) {
      this.#troubles.report('share', words.share.otherVocabulary);
      return false;
    }
    try {
      await this.#write(engine, passage);
      return true;
    } catch (error) {
      this.#troubles.report('share', error);
      return false;
    }
  }

  async #write(engine: LoadedModel, passage: SharedPassage): Promise<void> {
    const { title, prompt, begin, afterSpace, seed, settings, tokens, model, chain } = passage;
    const read = engine.tokenizer.text(prompt.slice(0, begin), false);
    const text = afterSpace && !/\s$/.test(read) && read !== '' ? `${read} ` : read;
    const beginning = { prompt: prompt.slice(0, begin), afterSpace };
    const own = { ...settings, seed, length: tokens - (prompt.length - begin) };
    // Before anything is made of it: a passage that this sampler or this model cannot take is refused here.
    const take = beginTake(engine, beginning, own, crypto.randomUUID(), prompt.slice(begin));
    const shown = await this.#stories.add({ title: words.share.titleOf(title), text }, dialsOf(passage));
    if (!shown) return;
    await this.#machine.write([take], { take: take.id, from: text.length, to: text.length });
    const written = this.#story.takes.value.get(take.id);
    if (written) this.#machine.say(outcomeOfShared(written, tokens, model, chain));
  }
}
