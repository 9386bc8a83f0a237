import { loadSampler, type Generator, type GeneratorState, type Sampler } from 'quillmate-sampler';
import type { Source } from './source';

/** A way to come to the same text. */
export type Way = 'regenerated' | 'resumed' | 'batch' | 'scalar';

/** What came of it. */
export interface Proof {
  readonly way: Way;
  /** How many tokens were drawn. */
  readonly drawn: number;
  /** Over all rows that the tokens were drawn from: 16 hexadecimal digits. */
  readonly chain: string;
  /** Whether the tokens and the chain are those of the text. */
  readonly equal: boolean;
}

/**
 * Writes a text again in each of the ways.
 * @param state of a generator with an audit
 */
export async function* prove(source: Source, state: GeneratorState): AsyncGenerator<Proof, void, undefined> {
  const { sampler, model } = source;
  const { seed, settings, step: length, promptLength } = state;
  const prompt = state.tokens.slice(0, promptLength);
  const begin = (by: Sampler, ofSeed = seed): Generator =>
    new by.Generator(model, prompt, { ...settings, seed: ofSeed, audit: 'full' });
  const proof = (way: Way, generator: Generator): Proof => {
    const { tokens, audit, step } = generator.state();
    generator.dispose();
    const chain = audit?.chain ?? '';
    return { way, drawn: step, chain, equal: chain === state.audit?.chain && tokens.join() === state.tokens.join() };
  };

  const again = begin(sampler);
  await again.run({ maxTokens: length });
  yield proof('regenerated', again);

  const half = begin(sampler);
  await half.run({ maxTokens: Math.floor(length / 2) });
  const saved = JSON.stringify(half.state());
  half.dispose();
  const resumed = sampler.Generator.fromState(model, saved);
  await resumed.run({ maxTokens: length - Math.floor(length / 2) });
  yield proof('resumed', resumed);

  const first = begin(sampler);
  const others = [1, 2, 3].map((more) => begin(sampler, otherSeed(seed, more)));
  for (let drawn = 0; drawn < length; drawn += 1) await sampler.stepBatch([...others, first]);
  for (const other of others) other.dispose();
  yield proof('batch', first);

  const scalar = begin(await loadSampler({ simd: 'off' }));
  await scalar.run({ maxTokens: length });
  yield proof('scalar', scalar);
}

const otherSeed = (seed: string, more: number): string => String(BigInt.asUintN(64, BigInt(seed) + BigInt(more)));
