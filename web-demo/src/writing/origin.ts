import type { ModelIdentity } from 'quillmate-sampler';
import type { LoadedModel } from '../models/loaded-model';
import { beginningOf, countTokens, isWrittenBy, type Standing, type Take } from './take';

/** Where a passage of the machine's comes from. */
export interface Origin {
  readonly seed: string;
  readonly settings: Take['state']['settings'];
  /** How many tokens it has, and how many of them stand in the story; null where the writer has changed its words. */
  readonly tokens: number;
  readonly standing: number | null;
  /** How many tokens of the story the model had read. */
  readonly read: number;
  /** The end of what it had read; null where another model than the one in use had. */
  readonly after: string | null;
  readonly model: ModelIdentity;
  /** Of all the model's numbers that it was drawn from. */
  readonly chain: string | null;
}

/** In characters: enough to find the place in the story. */
const afterLength = 120;

export function originOf(engine: LoadedModel, { take, tokens }: Standing): Origin {
  const { seed, settings, model, audit } = take.state;
  const { prompt } = beginningOf(take);
  const read = isWrittenBy(engine, take) ? engine.tokenizer.text(prompt, false) : null;
  return {
    seed,
    settings,
    tokens: countTokens(take),
    standing: tokens,
    read: prompt.length,
    after: read && read.length > afterLength ? `…${read.slice(-afterLength).replace(/^\S*\s/, '')}` : read,
    model: model ?? {},
    chain: audit?.chain ?? null,
  };
}
