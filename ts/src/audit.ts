import type { Core } from './core.js';
import { describe, SamplerError } from './errors.js';
import type { ModelIdentity } from './model.js';

/**
 * What a generator keeps of the model's rows, so that a replay can tell whether they were the same numbers: nothing; a
 * chain over all rows, some bytes in all; or the fingerprint of each row as well, some bytes a token, which tells the
 * very token.
 */
export type AuditMode = 'off' | 'light' | 'full';

/** One field of a model's identity that is not what it was. */
export interface IdentityChange {
  readonly field: string;
  /** Undefined where there was none. */
  readonly before: string | undefined;
  /** Undefined where there is none. */
  readonly now: string | undefined;
}

/** Where a replay's rows were not those that the text was drawn from first. */
export interface Mismatch {
  /** The first token whose row may differ, as an index into `tokens`. */
  readonly first: number;
  /** The last one that may be the first to differ: the same in a full audit, the last recorded in a light one. */
  readonly last: number;
  /** What differs in the model's identity; where nothing does, the machine or the browser computes otherwise. */
  readonly identityChanges: readonly IdentityChange[];
}

/** @internal */
export function toAuditMode(core: Core, given: unknown): number {
  const { AuditMode } = core.module;
  if (given === undefined || given === 'off') return AuditMode.off.value;
  if (given === 'light') return AuditMode.light.value;
  if (given === 'full') return AuditMode.full.value;
  throw new SamplerError('INVALID_AUDIT', { value: describe(given) });
}

/** @internal None where one of the two is not known. */
export function identityChanges(before: ModelIdentity | undefined, now: ModelIdentity | undefined): IdentityChange[] {
  if (before === undefined || now === undefined) return [];
  const [then, today] = [new Map(Object.entries(before)), new Map(Object.entries(now))] as const;
  return [...new Set([...then.keys(), ...today.keys()])]
    .map((field) => ({ field, before: then.get(field), now: today.get(field) }))
    .filter((change) => change.before !== change.now);
}
