/// <reference lib="esnext.disposable" preserve="true" />
export type { Categorical, CategoricalConstructor, Weight } from './exact/categorical.js';
export { Fraction } from './exact/fraction.js';
export { loadExact, type Exact, type LoadExactOptions } from './exact/load-exact.js';
export type { Owner, RandomStream, RandomStreams, RandomStreamsConstructor } from './exact/random-streams.js';
export { errorCodes, SamplerError, type ErrorCode } from './errors.js';
