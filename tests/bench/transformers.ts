import { loadSampler } from 'quillmate-sampler';
import { timeOf, timing, type Timing } from './measure.js';
import { modelRows } from './rows.js';

export interface TransformersMeasurement {
  readonly setting: string;
  readonly quillmate: Timing;
  readonly transformers: Timing;
}

/** The parts of Transformers.js that its `generate` draws a token with. */
export interface TransformersParts {
  readonly Tensor: new (type: 'float32', data: Float32Array, dims: readonly number[]) => Tensor;
  readonly LogitsSampler: { getSampler(settings: object): (logits: Tensor) => Promise<unknown> };
  readonly TemperatureLogitsWarper: new (temperature: number) => (ids: readonly bigint[][], logits: Tensor) => Tensor;
}
type Tensor = readonly Tensor[];

// It has no top-p.
const settings = [
  { setting: 'greedy', temperature: 0, topK: 0 },
  { setting: 'top-k 40', temperature: 0.8, topK: 40 },
  { setting: 'no filter', temperature: 0.8, topK: 0 },
];

export async function measureTransformers(
  { Tensor, LogitsSampler, TemperatureLogitsWarper }: TransformersParts,
  vocabSize: number,
  rounds: number,
): Promise<TransformersMeasurement[]> {
  const sampler = await loadSampler();
  const rows = modelRows(vocabSize, (seed, step, stream) => sampler.uniform(seed, step, stream));
  const measurements: TransformersMeasurement[] = [];
  for (const { setting, temperature, topK } of settings) {
    const sample = temperature > 0;
    const theirs = LogitsSampler.getSampler({ do_sample: sample, top_k: topK, num_beams: 1, num_return_sequences: 1 });
    const warper = new TemperatureLogitsWarper(temperature);
    const quillmate: number[] = [];
    const transformers: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const row = rows[round % rows.length]!;
      const u = sampler.uniform(1, round, 9);
      quillmate.push(timeOf(1, () => sampler.sampleToken(row, { temperature, topK, u })));
      const logits = new Tensor('float32', row.slice(), [1, vocabSize]); // the warper writes into it
      const start = performance.now();
      if (sample) warper([[1n]], logits);
      await theirs(logits[0]!);
      transformers.push((performance.now() - start) * 1000);
    }
    measurements.push({ setting, quillmate: timing(quillmate), transformers: timing(transformers) });
  }
  return measurements;
}
