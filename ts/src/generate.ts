/** @module quillmate-sampler/generate */
export { generate, type GenerateOptions, type LogitsFunction } from './generate/generate.js';
export { errorCodes, SamplerError, type ErrorCode } from './errors.js';
