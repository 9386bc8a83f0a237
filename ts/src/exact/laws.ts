import { describe, SamplerError } from '../errors.js';
import type { Sampler } from '../sampler.js';
import type { Speculation, Weights } from '../speculative.js';
import { Categorical } from './categorical.js';
import type { RandomStream, RandomStreams } from './random-streams.js';

/**
 * An arithmetic for blocks: {@link exactLaws} is the oracle, {@link binaryLaws} is for use.
 *
 * @typeParam Law a law over the vocabulary
 */
export interface Laws<Law> {
  /** What a model gave, checked, as a block may keep it. Errors: MODEL_FAILED (it is no law). */
  toLaw(given: unknown): Law;
  /** The number of tokens of the law's vocabulary. */
  vocabSize(law: Law): number;
  /** False also outside the vocabulary. */
  hasMass(law: Law, token: number): boolean;
  /** A token of the law, with the stream's numbers at a position. */
  draw(law: Law, stream: RandomStream, position: number): number;
  /** A draft token of q checked against p, with the numbers for acceptance and correction at a position. */
  speculate(p: Law, q: Law, token: number, streams: RandomStreams, position: number): Speculation;
}

/** Laws of fractions, drawn from by rejection: nothing is rounded. */
export const exactLaws: Laws<Categorical> = {
  toLaw(given) {
    if (!(given instanceof Categorical)) throw noLaw(given, 'a Categorical');
    return given.usable();
  },
  vocabSize: (law) => law.vocabSize,
  hasMass(law, token) {
    const place = law.ids.indexOf(token);
    return place >= 0 && law.tickets[place] !== 0n;
  },
  draw: (law, stream, position) => law.sample(stream, position),
  speculate(p, q, token, streams, position) {
    const { numerator, denominator } = p.acceptance(q, token);
    if (streams.acceptance.below(denominator, position) < numerator) return { token, accepted: true };
    const rest = p.residual(q);
    try {
      return { token: rest.sample(streams.correction, position), accepted: false };
    } finally {
      rest.dispose();
    }
  },
};

/**
 * Laws as weights in doubles, one for each token (0 for what a sparse draft does not list), drawn from with uniform numbers;
 * every comparison is decided exactly. A row is copied when a model gives it.
 *
 * @param sampler what `loadSampler()` gave
 */
export function binaryLaws(sampler: Sampler): Laws<Weights> {
  return {
    toLaw(given) {
      if (given instanceof Float32Array || given instanceof Float64Array) return given.slice();
      if (!Array.isArray(given)) throw noLaw(given, 'a list of weights');
      return Array.from(given as readonly number[]);
    },
    vocabSize: (law) => law.length,
    hasMass: (law, token) => (law[token] ?? 0) > 0,
    draw(law, stream, position) {
      // A draft token of which the target has none is always rejected, and the residual is then the target itself.
      const target = [...law, 0];
      const draft = target.map((_, token) => (token === law.length ? 1 : 0));
      return sampler.speculativeStep(target, draft, law.length, 0, stream.uniform(position)).token;
    },
    speculate: (p, q, token, { acceptance, correction }, position) =>
      sampler.speculativeStep(p, q, token, acceptance.uniform(position), correction.uniform(position)),
  };
}

function noLaw(given: unknown, wanted: string): SamplerError {
  return new SamplerError('MODEL_FAILED', { detail: `it gave a value that is ${describe(given)}, not ${wanted}` });
}
