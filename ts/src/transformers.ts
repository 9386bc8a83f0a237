/** @module quillmate-sampler/transformers */
export { seededGeneration, type SeededGeneration, type SeededRow } from './transformers/seeded-generation.js';
export type { LogitsProcessor, LogitsTensor, NewRow, ResumedRow } from './transformers/seeded-generation.js';
export { errorCodes, SamplerError, type ErrorCode } from './errors.js';
