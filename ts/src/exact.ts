/** @module quillmate-sampler/exact */
/// <reference lib="esnext.disposable" preserve="true" />
export { propose, type Block, type LawModel, type Proposal, type ProposalOptions } from './exact/block.js';
export type { Categorical, CategoricalConstructor, Weight } from './exact/categorical.js';
export { Fraction } from './exact/fraction.js';
export { binaryLaws, exactLaws, type Laws } from './exact/laws.js';
export { loadExact, type Exact, type LoadExactOptions } from './exact/load-exact.js';
export type { Owner, RandomStream, RandomStreams, RandomStreamsConstructor } from './exact/random-streams.js';
export { Verifier, type BlockResult } from './exact/verifier.js';
export type { Speculation, Weights } from './speculative.js';
export { errorCodes, SamplerError, type ErrorCode } from './errors.js';
