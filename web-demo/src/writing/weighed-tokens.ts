import type { Place } from '../story/story-document';
import type { Take } from './take';
import type { LoadedModel } from '../models/loaded-model';

/** A token that the model could have gone on with. */
export interface WeighedToken {
  readonly id: number;
  /** What it adds to the text. */
  readonly text: string;
  /** By the take's settings: of those that these leave in the running. */
  readonly probability: number;
  /** Whether it is the one that stands there. */
  readonly stands: boolean;
}

/** As many as a writer looks through. */
const most = 8;

/** What the model weighed for a token of the take, the likeliest first. @param at the token's index among the take's own */
export async function weighTokens(engine: LoadedModel, take: Take, at: number): Promise<WeighedToken[]> {
  const { sampler, model, tokenizer } = engine;
  const { state, begin } = take;
  const before = state.tokens.slice(0, begin + at);
  // Evaluated as it was when it was drawn, so that the numbers are the same.
  const row = await model(before, { promptLength: Math.min(state.promptLength, before.length) });
  const { ids, probabilities } = sampler.distribution(row, state.settings);
  const own = before.slice(begin);
  const written = tokenizer.text(own, false);
  return [...ids]
    .map((id, i) => ({ id, probability: probabilities[i] ?? 0 }))
    .sort((a, b) => b.probability - a.probability || a.id - b.id)
    .filter(({ id }) => !model.eosTokenIds.includes(id))
    .slice(0, most)
    .map(({ id, probability }) => ({
      id,
      text: tokenizer.text([...own, id], false).slice(written.length),
      probability,
      stands: state.tokens[begin + at] === id,
    }));
}

/** Where the word is that has the character, or comes after it. */
export function wordIn(text: string, offset: number): Place | null {
  let from = offset;
  while (from > 0 && !/\s/.test(text[from] ?? '') && !/\s/.test(text[from - 1] ?? '')) from -= 1;
  while (from < text.length && /\s/.test(text[from] ?? '')) from += 1;
  let to = from;
  while (to < text.length && !/\s/.test(text[to] ?? '')) to += 1;
  return to > from ? { from, to } : null;
}
