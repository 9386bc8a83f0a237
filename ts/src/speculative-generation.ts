/** @module quillmate-sampler/speculative */
/// <reference lib="esnext.disposable" preserve="true" />
export { suffixLookup, type SuffixLookupOptions } from './speculative-generation/suffix-lookup.js';
export {
  SpeculativeGenerator,
  type SpeculativeGeneratorOptions,
} from './speculative-generation/speculative-generator.js';
export type { Acceptance, SpeculationModels } from './speculative-generation/lookahead.js';
export type { Draft, Guess } from './speculative-generation/draft.js';
export type { SpeculationMode, SpeculationOptions } from './speculative-generation/plan.js';
export type { SpeculativeState } from './speculative-generation/speculative-state.js';
export { errorCodes, SamplerError, type ErrorCode } from './errors.js';
