import type { GeneratorState, ModelIdentity } from 'quillmate-sampler';
import type { MarkedPlace, Place } from '../story/story-document';
import type { Dials } from './dials';
import { continuationText, promptOf } from './prompt';
import type { LoadedModel } from '../models/loaded-model';

/** What the machine wrote once at a place in the story, and all it takes to write it again or to go on with it. */
export interface Take {
  readonly id: string;
  /** The place: the takes of one passage are alternatives of each other. */
  readonly passage: string;
  readonly state: GeneratorState;
  /** Where its words begin in the state's tokens: after the prompt, or within it where another take was left at a word. */
  readonly begin: number;
  /** How many tokens of its own it has when it is complete. */
  readonly wanted: number;
  /** Whether the story had white space before it, which stands for that of the first word. */
  readonly afterSpace: boolean;
  readonly text: string;
  readonly starred: boolean;
}

/** How a take's words stand in the story. */
export interface Standing extends Place {
  readonly take: Take;
  /** How many of its tokens stand there; null where the writer has changed its words. */
  readonly tokens: number | null;
}

/** The words before a take are its beginning's only as far as the model saw them. */
export interface Beginning {
  readonly prompt: readonly number[];
  readonly afterSpace: boolean;
}

export function beginningAfter(engine: LoadedModel, story: string): Beginning {
  return {
    prompt: promptOf(engine.tokenizer, story, engine.model.contextLength),
    afterSpace: continuationText(story, ' ') === '',
  };
}

export function beginningOf(take: Take): Beginning {
  return { prompt: take.state.tokens.slice(0, take.begin), afterSpace: take.afterSpace };
}

/** A take without a word in it yet. @param given its first tokens, where they are chosen and not drawn */
export function beginTake(
  engine: LoadedModel,
  { prompt, afterSpace }: Beginning,
  dials: Dials,
  passage: string,
  given: readonly number[] = [],
): Take {
  const { length, ...settings } = dials;
  const generator = new engine.sampler.Generator(engine.model, [...prompt, ...given], { ...settings, audit: 'full' });
  try {
    const take: Take = {
      id: crypto.randomUUID(),
      passage,
      state: generator.state(),
      begin: prompt.length,
      wanted: given.length + length,
      afterSpace,
      text: '',
      starred: false,
    };
    return growTake(engine, take, take.state, true);
  } finally {
    generator.dispose();
  }
}

/** The take after another token. */
export function growTake(engine: LoadedModel, take: Take, state: GeneratorState, moreToCome: boolean): Take {
  return { ...take, state, text: textOf(engine, take, state.tokens.slice(take.begin), moreToCome) };
}

/** The take as it was after so many of its tokens. */
export function cutTake(engine: LoadedModel, take: Take, tokens: number): Take {
  if (tokens === countTokens(take)) return take;
  const whole = engine.sampler.Generator.fromState(engine.model, take.state);
  const part = whole.branch(take.begin + tokens);
  try {
    return growTake(engine, take, part.state(), false);
  } finally {
    part.dispose();
    whole.dispose();
  }
}

export function countTokens({ state, begin }: Take): number {
  return state.tokens.length - begin;
}

/** The index of the take's token that has the character. */
export function tokenAt(engine: LoadedModel, take: Take, offset: number): number {
  const own = take.state.tokens.slice(take.begin);
  const endOf = (tokens: number) => textOf(engine, take, own.slice(0, tokens), true).length;
  let [low, high] = [0, own.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (endOf(middle + 1) > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}

function textOf(
  { tokenizer }: LoadedModel,
  { afterSpace }: Take,
  tokens: readonly number[],
  moreToCome: boolean,
): string {
  return continuationText(afterSpace ? ' ' : 'x', tokenizer.text(tokens, moreToCome));
}

/** Finds the take's words at its mark: the line feeds around them bear none. */
export function standingOf(take: Take, { from, to }: MarkedPlace, story: string, engine: LoadedModel | null): Standing {
  const lead = /^\n*/.exec(take.text)?.[0].length ?? 0;
  const start = story.slice(0, from).endsWith(take.text.slice(0, lead)) ? from - lead : from;
  let end = to;
  while (take.text[end - start] === '\n' && story[end] === '\n') end += 1;
  return { take, from: start, to: end, tokens: tokensOf(take, story.slice(start, end), engine) };
}

function tokensOf(take: Take, text: string, engine: LoadedModel | null): number | null {
  if (text === take.text) return countTokens(take);
  if (!engine || text === '' || !take.text.startsWith(text)) return null;
  const tokens = tokenAt(engine, take, text.length - 1) + 1;
  const least = take.state.promptLength - take.begin;
  const standing = textOf(engine, take, take.state.tokens.slice(take.begin, take.begin + tokens), true);
  return tokens >= least && standing === text ? tokens : null;
}

export function beginsWith(tokens: readonly number[], beginning: readonly number[]): boolean {
  return beginning.length <= tokens.length && beginning.every((token, i) => token === tokens[i]);
}

/** Whether the model itself has closed the text. */
export function isEnded({ model }: LoadedModel, take: Take): boolean {
  return countTokens(take) > 0 && take.state.tokens.at(-1) === model.eosTokenId;
}

/** Whether these dials would draw the very tokens of this take. */
export function isDrawnWith({ state }: Take, dials: Dials): boolean {
  return (
    state.seed === dials.seed &&
    state.settings.temperature === dials.temperature &&
    state.settings.topK === dials.topK &&
    state.settings.topP === dials.topP
  );
}

/** Whether this very model wrote the take: another one, or another release of its runtime, would write another. */
export function isWrittenBy({ model }: LoadedModel, { state }: Take): boolean {
  const fields = (identity: ModelIdentity = {}) => JSON.stringify(Object.entries(identity).sort());
  return fields(state.model) === fields(model.identity);
}

/** The seed that no take of the passage has: this one, or the next free one. */
export function nextSeed(takes: Iterable<Take>, passage: string, seed: string): string {
  const used = new Set<string>();
  for (const take of takes) if (take.passage === passage) used.add(take.state.seed);
  let next = seed;
  while (used.has(next)) next = BigInt.asUintN(64, BigInt(next) + 1n).toString();
  return next;
}
