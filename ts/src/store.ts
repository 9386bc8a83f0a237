/** @module quillmate-sampler/store */
export type { Autosave, AutosaveOptions, AutosaveStatus } from './store/autosave.js';
export { openStore, type SaveOptions, type Store, type StoreOptions } from './store/store.js';
export type { StoredStory, Story, StorySummary } from './store/story.js';
export type { GeneratorState } from './generator-state.js';
export { errorCodes, SamplerError, type ErrorCode } from './errors.js';
