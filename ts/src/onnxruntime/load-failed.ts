import { SamplerError } from '../errors.js';

/** @param detail which file is meant, what is wrong with it and what to do */
export function loadFailed(detail: string, cause?: unknown): SamplerError {
  return new SamplerError('MODEL_LOAD_FAILED', { detail, cause });
}

/** What an unknown thrown thing says. */
export function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
