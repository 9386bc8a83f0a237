import type { Core } from './core.js';
import { describe, SamplerError } from './errors.js';
import type { Numbers } from './numbers.js';
import { toNumber } from './settings.js';

/** Weights of the tokens, finite and at least 0; they need not sum to 1. */
export type Weights = Float32Array | Float64Array | readonly number[];

/** What became of a draft token. */
export interface Speculation {
  /** The token to emit: the draft token or its correction. */
  readonly token: number;
  readonly accepted: boolean;
}

/** The law of the token that speculation emits. */
export interface EmittedDistribution {
  /** The probability of each token. */
  readonly distribution: Float64Array;
  /** The probability that the draft token is accepted. */
  readonly alpha: number;
}

/** @internal See Sampler.speculativeStep. */
export function speculativeStep(
  core: Core,
  [pTarget, qDraft]: readonly [Weights, Weights],
  draftToken: number,
  uAccept: number,
  uResample: number,
): Speculation {
  if (typeof draftToken !== 'number') {
    throw new SamplerError('INVALID_TOKEN', { index: 0, value: describe(draftToken), detail: 'the draft' });
  }
  toNumber(uAccept, 'INVALID_U');
  toNumber(uResample, 'INVALID_U');
  const { p, q } = placeWeights(core, pTarget, qDraft);
  const result = core.module.speculativeStep(p.address, p.size, q.address, q.size, draftToken, uAccept, uResample);
  core.check(result.token);
  return result;
}

/** @internal See Sampler.emittedDistribution. */
export function emittedDistribution(core: Core, pTarget: Weights, qDraft: Weights): EmittedDistribution {
  const { p, q } = placeWeights(core, pTarget, qDraft);
  // The law takes the place of the target's weights, which are read before it is written.
  const alpha = core.check(core.module.emittedDistribution(p.address, p.size, q.address, q.size, p.address));
  return { distribution: new Float64Array(core.memory, p.address, p.size).slice(), alpha };
}

interface Place {
  readonly address: number;
  readonly size: number;
}

function placeWeights(core: Core, pTarget: unknown, qDraft: unknown): { p: Place; q: Place } {
  const [target, draft] = [toWeights(core, pTarget, 'the target'), toWeights(core, qDraft, 'the draft')];
  const address = core.scratch((target.length + draft.length) * Float64Array.BYTES_PER_ELEMENT);
  const p = { address, size: target.length };
  const q = { address: address + target.length * Float64Array.BYTES_PER_ELEMENT, size: draft.length };
  new Float64Array(core.memory, p.address, p.size).set(target);
  new Float64Array(core.memory, q.address, q.size).set(draft);
  return { p, q };
}

function toWeights(core: Core, given: unknown, detail: string): Numbers {
  const refusal = refusalOf(detail);
  const weights = core.numbers(given, refusal);
  if (!weights) throw refusal(describe(given), 0);
  return weights;
}

const refusalOf = (detail: string) => (value: string, index: number) =>
  new SamplerError('INVALID_WEIGHT', { index, value, detail });
