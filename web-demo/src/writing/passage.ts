import type { GeneratorState, ModelIdentity } from 'quillmate-sampler';
import type { Dials } from './dials';
import { continuationText } from './prompt';
import type { WritingEngine } from './writing-engine';

/** The machine's latest continuation, and all it takes to write it again or to go on with it. */
export interface Passage {
  /** Where it begins in the story. */
  readonly start: number;
  /** How many tokens it is to have when it is complete. */
  readonly wanted: number;
  readonly state: GeneratorState;
  /** The whole story with the passage at its end. Where the page differs, somebody has edited it since. */
  readonly story: string;
}

/** A passage without a word in it yet, at the end of the story. */
export function beginPassage(engine: WritingEngine, story: string, dials: Dials): Passage {
  const prompt = engine.tokenizer.prompt(story, engine.model.contextLength);
  const { length, ...settings } = dials;
  const generator = new engine.sampler.Generator(engine.model, prompt, settings);
  try {
    return { start: story.length, wanted: length, state: generator.state(), story };
  } finally {
    generator.dispose();
  }
}

/** The same passage before its first token. */
export function rewindPassage(passage: Passage): Passage {
  const { start, state, story } = passage;
  const tokens = state.tokens.slice(0, state.promptLength);
  return { ...passage, state: { ...state, step: 0, tokens }, story: story.slice(0, start) };
}

/** The passage after another token. */
export function growPassage(
  engine: WritingEngine,
  passage: Passage,
  state: GeneratorState,
  moreToCome: boolean,
): Passage {
  const before = passage.story.slice(0, passage.start);
  const generated = engine.tokenizer.text(state.tokens.slice(state.promptLength), moreToCome);
  return { ...passage, state, story: before + continuationText(before, generated) };
}

export function countTokens({ state }: Passage): number {
  return state.tokens.length - state.promptLength;
}

/** Whether the model itself has closed the text. */
export function isEnded({ model }: WritingEngine, passage: Passage): boolean {
  return countTokens(passage) > 0 && passage.state.tokens.at(-1) === model.eosTokenId;
}

/** Whether these dials would draw the very tokens of this passage. */
export function isDrawnWith({ state }: Passage, dials: Dials): boolean {
  return (
    state.seed === dials.seed &&
    state.settings.temperature === dials.temperature &&
    state.settings.topK === dials.topK &&
    state.settings.topP === dials.topP
  );
}

/** Whether this very model wrote the passage: another one, or another release of its runtime, would write another. */
export function isWrittenBy({ model }: WritingEngine, { state }: Passage): boolean {
  const fields = (identity: ModelIdentity = {}) => JSON.stringify(Object.entries(identity).sort());
  return fields(state.model) === fields(model.identity);
}
