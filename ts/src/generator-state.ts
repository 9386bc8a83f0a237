import type { ModelIdentity } from './model.js';
import type { FullSettings } from './settings.js';

/** All that a later process needs to go on with a generator: plain JSON. */
export interface GeneratorState {
  format: 'quillmate-generator';
  version: 1;
  /** How uniform numbers are drawn from seed and step. */
  rng: 'philox4x32-10';
  /** Decimal: a JavaScript number has no room for 64 bits. */
  seed: string;
  /** How many tokens were drawn after the prompt. */
  step: number;
  promptLength: number;
  /** The prompt and all drawn tokens. */
  tokens: number[];
  /** The length of the rows, once one was seen. */
  vocabSize?: number;
  settings: FullSettings;
  model?: ModelIdentity;
}
