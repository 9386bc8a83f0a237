import {
  loadSampler,
  SamplerError,
  type AuditMode,
  type LogitsInput,
  type Sampler,
  type Settings,
} from 'quillmate-sampler';
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
} from '../ts/fixtures.js';
import { Digest, type Mark } from './digest.js';

export interface Report {
  /** How many numbers and texts were hashed. */
  readonly values: number;
  /** One a case; the last one's hash is the engine's. */
  readonly marks: readonly Mark[];
}

/** Settings of its own, or a list to try one after the other. */
type SamplingCase = Named &
  (SettingsCase | { settings: SettingsCase[] }) & {
    dtype: Dtype | 'float16' | 'bfloat16';
    logits: RowItem[];
    draws?: [u: number][];
  };
interface BatchCase extends Named {
  dtype: Dtype;
  vocabSize: number;
  rows: RowItem[][];
  settings: (SettingsCase & { u: Numeric })[];
}
interface WeightsCase extends Named {
  p: RowItem[];
  q: RowItem[];
}
interface SpeculativeCase extends WeightsCase {
  draft: number;
  draws: [uAccept: number, uResample: number][];
}
interface GeneratorRun extends Named, SettingsCase {
  vocabSize: number;
  modelSeed: string;
  dtype: Dtype;
  prompt: number[];
  seed: string;
  identity?: Record<string, string>;
  audit?: AuditMode;
}
interface Vectors {
  uniform: { uniform: { seed: string; step: string; stream: string }[] }[];
  sampling: { cases: SamplingCase[] }[];
  batch: { cases: BatchCase[] }[];
  speculative: { cases: SpeculativeCase[] }[];
  emitted: { cases: WeightsCase[] }[];
  generator: { runs: GeneratorRun[] }[];
}

/** Runs the vectors through the package; runner.cpp does the same, in the same order, with the core. */
export async function report(vectors: string, simd: 'on' | 'off'): Promise<Report> {
  const sampler = await loadSampler({ simd });
  const digest = new Digest();
  const { uniform, sampling, batch, speculative, emitted, generator } = parse<Vectors>(vectors);
  for (const { seed, step, stream } of uniform.flatMap((document) => document.uniform)) {
    digest.add(sampler.uniform(seed, step, stream));
    digest.mark(`uniform(${seed}, ${step}, ${stream})`);
  }
  for (const given of sampling.flatMap(({ cases }) => cases)) {
    addSampling(digest, sampler, given);
    digest.mark(given.name);
  }
  for (const { name, dtype, vocabSize, rows, settings } of batch.flatMap(({ cases }) => cases)) {
    const column = (key: keyof (typeof settings)[0]) => settings.map((draw) => number(draw[key]));
    const [temperature, topK, topP, u] = [column('temperature'), column('topK'), column('topP'), column('u')];
    const tokens = sampler.sampleBatch(row(rows.flat(), dtype), vocabSize, { temperature, topK, topP, u });
    for (const token of tokens) digest.add(token);
    digest.mark(name);
  }
  for (const { name, p, q, draft, draws } of speculative.flatMap(({ cases }) => cases)) {
    const [target, proposal] = [numbers(p), numbers(q)];
    for (const [uAccept, uResample] of draws) {
      const { token, accepted } = sampler.speculativeStep(target, proposal, draft, uAccept, uResample);
      digest.add(token);
      digest.add(Number(accepted));
    }
    digest.mark(name);
  }
  for (const { name, p, q } of emitted.flatMap(({ cases }) => cases)) {
    const { distribution, alpha } = sampler.emittedDistribution(numbers(p), numbers(q));
    for (const probability of [...distribution, alpha]) digest.add(probability);
    digest.mark(name);
  }
  for (const run of generator.flatMap(({ runs }) => runs)) {
    await addRun(digest, sampler, run);
    digest.mark(run.name);
  }
  return { values: digest.values, marks: digest.marks };
}

function addSampling(digest: Digest, sampler: Sampler, { dtype, logits, draws = [], ...rest }: SamplingCase): void {
  const isHalf = dtype === 'float16' || dtype === 'bfloat16';
  const given = isHalf ? { type: dtype, data: Uint16Array.from(numbers(logits)) } : row(logits, dtype);
  for (const settings of 'settings' in rest ? rest.settings : [rest]) {
    addDraws(
      digest,
      sampler,
      given,
      settingsOf(settings),
      draws.map(([u]) => u),
    );
  }
}

function addDraws(
  digest: Digest,
  sampler: Sampler,
  given: LogitsInput,
  settings: Settings,
  us: readonly number[],
): void {
  const draw = (u: number) => {
    attempt(digest, () => {
      digest.add(sampler.sampleToken(given, { ...settings, u }));
    });
  };
  us.forEach(draw);
  attempt(digest, () => {
    const { ids, probabilities } = sampler.distribution(given, settings);
    digest.add(ids.length);
    for (const id of ids) digest.add(id);
    for (const probability of probabilities) digest.add(probability);
    // At about four of the boundaries between tokens, and beside them.
    const stride = Math.ceil(ids.length / 4);
    let running = 0;
    probabilities.forEach((probability, i) => {
      running += probability;
      if (i % stride !== 0) return;
      for (const u of [running, running * (1 - 2 ** -53), running * (1 + 2 ** -52)]) if (u < 1) draw(u);
    });
  });
}

/** A refusal is a result as well. */
function attempt(digest: Digest, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof SamplerError)) throw error;
    digest.add(error.code);
    digest.add(error.index ?? -1);
  }
}

async function addRun(digest: Digest, sampler: Sampler, run: GeneratorRun): Promise<void> {
  const toy = toyModel(run.vocabSize, run.modelSeed, run.dtype);
  const model = Object.assign(toy, run.identity && { identity: run.identity });
  let generator = new sampler.Generator(model, run.prompt, {
    ...settingsOf(run),
    seed: run.seed,
    audit: run.audit,
  });
  for (let i = 0; i < 15; i++) {
    const state = JSON.stringify(generator.state());
    digest.add(state);
    generator.dispose();
    generator = sampler.Generator.fromState(model, state);
    digest.add(await generator.step());
  }
  generator.dispose();
}
