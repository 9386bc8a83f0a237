import { loadSampler, type AuditMode, type ErrorCode, type GeneratorState } from 'quillmate-sampler';
import { describe, expect, test } from 'vitest';
import batchText from '../fixtures/batch.json?raw';
import boundariesText from '../fixtures/boundaries.json?raw';
import distributionText from '../fixtures/distribution.json?raw';
import emittedText from '../fixtures/emitted.json?raw';
import errorsText from '../fixtures/errors.json?raw';
import generatorText from '../fixtures/generator.json?raw';
import samplingText from '../fixtures/sampling.json?raw';
import speculativeText from '../fixtures/speculative.json?raw';
import uniformText from '../fixtures/uniform.json?raw';
import { refusalOf } from './refusal.js';
import {
  number,
  numbers,
  parse,
  row,
  settingsOf,
  toyModel,
  type Dtype,
  type Named,
  type Numeric,
  type RowItem,
  type SettingsCase,
} from './fixtures.js';

// Whatever runs the module: both of the package's modules draw these tokens.
describe.each(['on', 'off'] as const)('with SIMD %s,', async (simd) => {
  const sampler = await loadSampler({ simd });

  describe('uniform', () => {
    const { uniform } = parse<{ uniform: { seed: string; step: string; stream: string; u: number }[] }>(uniformText);
    test.each(uniform)('seed $seed, step $step, stream $stream gives $u', ({ seed, step, stream, u }) => {
      expect(sampler.uniform(seed, step, stream)).toBe(u);
      expect(sampler.uniform(BigInt(seed), BigInt(step), BigInt(stream))).toBe(u);
    });
  });

  interface SamplingCase extends Named, SettingsCase {
    dtype: Dtype;
    logits: RowItem[];
    draws: [u: number, token: number][];
    kept?: number[];
  }
  describe.each([
    ['sampling', samplingText],
    ['boundaries', boundariesText],
  ])('%s', (_, text) => {
    test.each(parse<{ cases: SamplingCase[] }>(text).cases)('$name', ({ dtype, logits, draws, kept, ...rest }) => {
      const settings = settingsOf(rest);
      const given = row(logits, dtype);
      expect(draws.map(([u]) => [u, sampler.sampleToken(given, { ...settings, u })])).toEqual(draws);
      if (kept) expect([...sampler.distribution(given, settings).ids]).toEqual(kept);
      // The same numbers as a plain array are the same row.
      const [u, token] = draws[0] ?? [0, -1];
      expect(sampler.sampleToken([...given], { ...settings, u })).toBe(token);
    });
  });

  interface DistributionCase extends Named, SettingsCase {
    dtype: Dtype;
    logits: RowItem[];
    ids: number[];
    probabilities: number[];
  }
  describe('distribution', () => {
    const { cases } = parse<{ cases: DistributionCase[] }>(distributionText);
    test.each(cases)('$name', ({ dtype, logits, ids, probabilities, ...settings }) => {
      const kept = sampler.distribution(row(logits, dtype), settingsOf(settings));
      expect([...kept.ids]).toEqual(ids);
      expect([...kept.probabilities]).toEqual(probabilities);
    });
  });

  type DrawCase = SettingsCase & { u: Numeric };
  interface BatchCase extends Named {
    dtype: Dtype;
    vocabSize: number;
    rows: RowItem[][];
    settings: DrawCase[];
    tokens: number[];
  }
  const columns = (draws: readonly DrawCase[]) => ({
    temperature: draws.map((draw) => number(draw.temperature)),
    topK: draws.map((draw) => number(draw.topK)),
    topP: draws.map((draw) => number(draw.topP)),
    u: draws.map((draw) => number(draw.u)),
  });
  describe('batch', () => {
    const { cases } = parse<{ cases: BatchCase[] }>(batchText);
    test.each(cases)('$name', ({ dtype, vocabSize, rows, settings, tokens }) => {
      const logits = row(rows.flat(), dtype);
      expect([...sampler.sampleBatch(logits, vocabSize, columns(settings))]).toEqual(tokens);
    });
  });

  interface SpeculativeCase extends Named {
    p: RowItem[];
    q: RowItem[];
    draft: number;
    draws: [uAccept: number, uResample: number, token: number, accepted: boolean][];
  }
  describe('speculative', () => {
    const { cases } = parse<{ cases: SpeculativeCase[] }>(speculativeText);
    test.each(cases)('$name', ({ p, q, draft, draws }) => {
      const [target, proposal] = [numbers(p), Float64Array.from(numbers(q))];
      for (const [uAccept, uResample, token, accepted] of draws) {
        expect(sampler.speculativeStep(target, proposal, draft, uAccept, uResample)).toEqual({ token, accepted });
      }
    });
  });

  interface EmittedCase extends Named {
    p: RowItem[];
    q: RowItem[];
    distribution: number[];
    alpha: number;
  }
  describe('emitted', () => {
    const { cases } = parse<{ cases: EmittedCase[] }>(emittedText);
    test.each(cases)('$name', ({ p, q, distribution, alpha }) => {
      const emitted = sampler.emittedDistribution(numbers(p), numbers(q));
      expect(emitted.distribution.length).toBe(distribution.length);
      const deviations = distribution.map((probability, i) => Math.abs(probability - (emitted.distribution[i] ?? NaN)));
      expect(Math.max(...deviations, Math.abs(alpha - emitted.alpha))).toBeLessThan(1e-12);
    });
  });

  interface GeneratorRun extends Named, SettingsCase {
    vocabSize: number;
    modelSeed: string;
    dtype: Dtype;
    prompt: number[];
    seed: string;
    audit?: AuditMode;
    tokens: number[];
    freshState: GeneratorState;
    stateAfter7: GeneratorState;
  }
  interface GeneratorFile {
    runs: GeneratorRun[];
    refusedStates: { name: string; state: GeneratorState | string; code: ErrorCode }[];
    refusedTexts: { name: string; text: string }[];
  }
  describe('generator', () => {
    const { runs, refusedStates, refusedTexts } = parse<GeneratorFile>(generatorText);

    test.each(runs)('$name', async (run) => {
      const toy = toyModel(run.vocabSize, run.modelSeed, run.dtype);
      const model = Object.assign(toy, run.freshState.model && { identity: run.freshState.model });
      const generator = new sampler.Generator(model, run.prompt, {
        ...settingsOf(run),
        seed: run.seed,
        audit: run.audit,
      });
      expect(generator.state()).toEqual(run.freshState);
      for (let i = 0; i < 7; ++i) await generator.step();
      expect(generator.state()).toEqual(run.stateAfter7);

      const resumed = sampler.Generator.fromState(model, run.stateAfter7);
      for (let i = 7; i < run.tokens.length; ++i) expect(await resumed.step()).toBe(await generator.step());
      expect(generator.tokens).toEqual([...run.prompt, ...run.tokens]);
      expect(resumed.tokens).toEqual(generator.tokens);
    });

    const model = () => [0];
    test.each(refusedStates)('refuses $name', ({ state, code }) => {
      for (const given of typeof state === 'string' ? [JSON.stringify(state)] : [state, JSON.stringify(state)]) {
        expect(() => sampler.Generator.fromState(model, given)).toThrow(expect.objectContaining({ code }));
      }
    });
    test.each(refusedTexts)('refuses $name', ({ text }) => {
      const code: ErrorCode = 'STATE_NOT_JSON';
      expect(() => sampler.Generator.fromState(model, text)).toThrow(expect.objectContaining({ code }));
    });
  });

  type ErrorCase = Named & { code: ErrorCode; index?: number; row?: number; value?: string } & (
      | ({ call: 'sampleToken'; dtype: Dtype; logits: RowItem[] } & DrawCase)
      | ({ call: 'distribution'; dtype: Dtype; logits: RowItem[] } & SettingsCase)
      | { call: 'sampleBatch'; dtype: Dtype; logits: RowItem[]; vocabSize: number; settings: DrawCase[] }
      | { call: 'emittedDistribution'; p: RowItem[]; q: RowItem[] }
      | { call: 'speculativeStep'; p: RowItem[]; q: RowItem[]; draft: number; uAccept: Numeric; uResample: Numeric }
      | ({ call: 'generator'; prompt: number[]; seed: string } & SettingsCase)
    );
  function refused(given: ErrorCase): unknown {
    switch (given.call) {
      case 'sampleToken':
        return sampler.sampleToken(row(given.logits, given.dtype), { ...settingsOf(given), u: number(given.u) });
      case 'distribution':
        return sampler.distribution(row(given.logits, given.dtype), settingsOf(given));
      case 'sampleBatch':
        return sampler.sampleBatch(row(given.logits, given.dtype), given.vocabSize, columns(given.settings));
      case 'emittedDistribution':
        return sampler.emittedDistribution(numbers(given.p), numbers(given.q));
      case 'speculativeStep': {
        const [uAccept, uResample] = [number(given.uAccept), number(given.uResample)];
        return sampler.speculativeStep(numbers(given.p), numbers(given.q), given.draft, uAccept, uResample);
      }
      case 'generator':
        return new sampler.Generator(() => [0], given.prompt, { ...settingsOf(given), seed: given.seed });
    }
  }
  describe('errors', () => {
    test.each(parse<{ cases: ErrorCase[] }>(errorsText).cases)('$call refuses $name', (given) => {
      const error = refusalOf(() => refused(given));
      expect(error.code).toBe(given.code);
      expect(error.row).toBe(given.row);
      if (given.index !== undefined) expect(error.index).toBe(given.index);
      if (given.value !== undefined) {
        expect(error.value).toBe(given.value);
        expect(error.message).toContain(given.value);
      }
    });
  });
});
