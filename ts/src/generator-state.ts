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
  /** Unless it is off. */
  audit?: AuditState;
}

/** What is known of the rows that the tokens were drawn from: fingerprints of 64 bits, as 16 hexadecimal digits. */
export interface AuditState {
  /** The step of the first row that is covered: not 0 in a branch whose chain began there. */
  from: number;
  /** Of all rows since. */
  chain: string;
  /** Of each row; in a full audit only. */
  rows?: string[];
}
