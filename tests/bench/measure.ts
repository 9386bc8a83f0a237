import { loadSampler } from 'quillmate-sampler';
import { JavaScriptSampler } from './javascript-sampler.js';
import { modelRows } from './rows.js';

/** Microseconds a token: the fastest round, and the middle one. */
export interface Timing {
  readonly fastest: number;
  readonly median: number;
}

export interface Measurement {
  readonly vocabSize: number;
  readonly setting: string;
  readonly copy: Timing;
  readonly quillmate: Timing;
  readonly javascript: Timing;
}

const settings = [
  { setting: 'greedy', temperature: 0, topK: 0, topP: 1 },
  { setting: 'top-k 40, top-p .95', temperature: 0.8, topK: 40, topP: 0.95 },
  { setting: 'top-p .95', temperature: 0.8, topK: 0, topP: 0.95 },
  { setting: 'no filter', temperature: 0.8, topK: 0, topP: 1 },
];

/** Times one token of a row, the eight rows in turn so that none stays in the cache; rounds of the contenders alternate. */
export async function measure(vocabSizes: readonly number[], rounds: number): Promise<Measurement[]> {
  const sampler = await loadSampler();
  const measurements: Measurement[] = [];
  for (const vocabSize of vocabSizes) {
    const rows = modelRows(vocabSize, (seed, step, stream) => sampler.uniform(seed, step, stream));
    const baseline = new JavaScriptSampler(vocabSize);
    const copyTo = new Float32Array(vocabSize);
    for (const { setting, temperature, topK, topP } of settings) {
      let draw = 0;
      const contenders: ((row: Float32Array, u: number) => unknown)[] = [
        (row) => {
          copyTo.set(row);
        },
        (row, u) => sampler.sampleToken(row, { temperature, topK, topP, u }),
        (row, u) => baseline.sampleToken(row, temperature, topK, topP, u),
      ];
      const times = contenders.map((): number[] => []);
      for (let round = 0; round < rounds; round++) {
        const us = rows.map(() => sampler.uniform(1, draw++, 9));
        contenders.forEach((contender, i) => {
          const start = performance.now();
          rows.forEach((row, r) => contender(row, us[r]!));
          times[i]?.push(((performance.now() - start) * 1000) / rows.length);
        });
      }
      const [copy, quillmate, javascript] = times.map(timing) as [Timing, Timing, Timing];
      measurements.push({ vocabSize, setting, copy, quillmate, javascript });
    }
  }
  return measurements;
}

function timing(times: number[]): Timing {
  const sorted = [...times].sort((a, b) => a - b);
  return { fastest: sorted[0]!, median: sorted[sorted.length >> 1]! };
}
