/** @module quillmate-sampler */
/// <reference lib="esnext.disposable" preserve="true" />
export type { AuditMode, IdentityChange, Mismatch } from './audit.js';
export { errorCodes, SamplerError, type ErrorCode, type ErrorDetails } from './errors.js';
export type { BranchOptions, Generator, GeneratorConstructor, GeneratorOptions, StepOptions } from './generator.js';
export type { AuditState, GeneratorState } from './generator-state.js';
export { loadSampler, type LoadOptions } from './load-sampler.js';
export type { LogitsRow, LogitsRowConstructor } from './logits-row.js';
export type { Float16Numbers, HalfLogits, LogitsInput } from './logits.js';
export type { Model, ModelIdentity, ModelOptions } from './model.js';
export type { Run, RunOptions, RunResult } from './run.js';
export type { BatchSettings, Distribution, DrawSettings, PerRow, Sampler } from './sampler.js';
export type { Seed } from './seed.js';
export type { FullSettings, Settings } from './settings.js';
export type { EmittedDistribution, Speculation, Weights } from './speculative.js';
export { StepBatchError, type StepOutcome } from './step-batch.js';
export type { WasmSource } from './wasm-source.js';
