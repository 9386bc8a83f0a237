import { describe, SamplerError, type ErrorCode } from './errors.js';

/** How a token is drawn from a row of logits. Whatever is left out keeps its default. */
export interface Settings {
  /** Finite, at least 0; 0 takes the largest logit (the lowest id on ties) and ignores the rest. Default 1. */
  readonly temperature?: number | undefined;
  /** Whole, at least 0: keeps the k highest logits, of equal ones the lower id first; 0 keeps all. Default 0. */
  readonly topK?: number | undefined;
  /** In [0, 1]: keeps the shortest prefix of the most likely tokens that has this share; 1 keeps all. Default 1. */
  readonly topP?: number | undefined;
}

/** {@link Settings} with nothing left out. */
export interface FullSettings {
  readonly temperature: number;
  readonly topK: number;
  readonly topP: number;
}

/** @internal The defaults filled in, and every value a number; the ranges are the core's to check. */
export function readSettings(settings: Settings): FullSettings {
  const { temperature, topK, topP } = settings;
  // A misspelt name leaves its setting out. Where none is left out, as in a loop that counts, this costs nothing.
  if (temperature === undefined || topK === undefined || topP === undefined) checkNames(settings);
  return {
    temperature: toNumber(temperature, 'INVALID_TEMPERATURE', 1),
    topK: toNumber(topK, 'INVALID_TOP_K', 0),
    topP: toNumber(topP, 'INVALID_TOP_P', 1),
  };
}

/** @internal Without settings the defaults hold; anything but an object is a mistake. */
export function toOptions<T extends object>(given: T | null | undefined): Partial<T> {
  const options: unknown = given ?? {};
  if (typeof options !== 'object') throw new SamplerError('INVALID_TEMPERATURE', { value: describe(options) });
  return options as Partial<T>;
}

/** @internal Those of all calls, so that one object serves them all; of another name, such as `top_p`, nobody would hear. */
export function checkNames(settings: object): void {
  const stranger = Object.keys(settings).find((name) => !names.includes(name));
  if (stranger === undefined) return;
  throw new SamplerError('UNKNOWN_SETTING', { value: describe(stranger), detail: names.join(', ') });
}

const names = ['temperature', 'topK', 'topP', 'u', 'seed', 'audit'];

/**
 * @internal JavaScript would take `'0.7'`, `null` and `true` for numbers; they are mistakes.
 * @param leftOut the default, where there is one
 */
export function toNumber(given: unknown, code: ErrorCode, leftOut?: number): number {
  if (typeof given === 'number') return given;
  if (given === undefined && leftOut !== undefined) return leftOut;
  throw new SamplerError(code, { value: describe(given) });
}
