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
  if (temperature === undefined || topK === undefined || topP === undefined) checkNames(settings, drawNames);
  return {
    temperature: toNumber(temperature, 'INVALID_TEMPERATURE', 1),
    topK: toNumber(topK, 'INVALID_TOP_K', 0),
    topP: toNumber(topP, 'INVALID_TOP_P', 1),
  };
}

/** What a message calls the options of a call, and how they look. */
interface OptionsKind {
  readonly code: ErrorCode;
  /** With its verb: `the settings are`. */
  readonly what: string;
  readonly example: string;
}

const settingsKind: OptionsKind = {
  code: 'INVALID_TEMPERATURE',
  what: 'the settings are',
  example: '{ temperature: 0.8 }',
};

/** @internal Without settings the defaults hold; anything but an object is a mistake. */
export function toOptions<T extends object>(given: T | null | undefined, kind = settingsKind): Partial<T> {
  const options: unknown = given ?? {};
  if (typeof options !== 'object') throw noObject(options, kind);
  return options as Partial<T>;
}

/** @internal */
export function noObject(given: unknown, { code, what, example } = settingsKind, row?: number): SamplerError {
  const value = describe(given);
  return new SamplerError(code, { row, value, message: `${what} ${value}; pass an object, such as ${example}` });
}

/** @internal */
export const settingNames: readonly string[] = ['temperature', 'topK', 'topP'];
/** @internal */
export const drawNames: readonly string[] = [...settingNames, 'u'];
/** @internal */
export const generatorNames: readonly string[] = [...settingNames, 'seed', 'audit'];

const shared: readonly string[] = [...drawNames, ...generatorNames];

/**
 * @internal Of a name that no call knows, such as `top_p`, nobody would hear.
 * @param own those that the call takes
 * @param others those that it passes over, so that one object serves all calls
 */
export function checkNames(settings: object, own: readonly string[], others = shared): void {
  const stranger = Object.keys(settings).find((name) => !own.includes(name) && !others.includes(name));
  if (stranger === undefined) return;
  throw new SamplerError('UNKNOWN_SETTING', { value: describe(stranger), detail: own.join(', ') });
}

/**
 * @internal JavaScript would take `'0.7'`, `null` and `true` for numbers; they are mistakes.
 * @param leftOut the default, where there is one
 */
export function toNumber(given: unknown, code: ErrorCode, leftOut?: number): number {
  if (typeof given === 'number') return given;
  if (given === undefined && leftOut !== undefined) return leftOut;
  throw new SamplerError(code, { value: describe(given) });
}
