import { loadSampler } from 'quillmate-sampler';
import { loadFloor } from './floor.js';
import { JavaScriptSampler } from './javascript-sampler.js';
import { modelRows } from './rows.js';

/** Microseconds a token: the fastest round, and the middle one. */
export interface Timing {
  readonly fastest: number;
  readonly median: number;
}

export interface Measurement {
  readonly rows: string;
  readonly setting: string;
  /** Copying the row in and the least that any sampler has to do with it. */
  readonly floor: Timing;
  readonly quillmate: Timing;
  readonly javascript: Timing;
}

export interface BatchMeasurement {
  readonly singles: Timing;
  readonly batch: Timing;
}

/** What is measured; numbers and lists alone, so that it can be sent to a page. */
export interface Plan {
  /** Of the sampler's two modules, that with SIMD or that without. */
  readonly simd: 'on' | 'off';
  readonly vocabSizes: readonly number[];
  readonly rounds: number;
  /** The bytes of quillmate_floor.wasm. */
  readonly floorModule: readonly number[];
  /** Rows that a real model made. */
  readonly realRows: readonly (readonly number[])[];
}

const settings = [
  { setting: 'greedy', temperature: 0, topK: 0, topP: 1 },
  { setting: 'top-k 40, top-p .95', temperature: 0.8, topK: 40, topP: 0.95 },
  { setting: 'top-p .95', temperature: 0.8, topK: 0, topP: 0.95 },
  { setting: 'no filter', temperature: 0.8, topK: 0, topP: 1 },
];

/** Logits that a round reads. */
const leastPerRound = 1_000_000;

/** Times one token of a row, the rows in turn so that none stays in the cache; rounds of the contenders alternate. */
export async function measure({ simd, vocabSizes, rounds, floorModule, realRows }: Plan): Promise<Measurement[]> {
  const sampler = await loadSampler({ simd });
  const sets = vocabSizes.map((size) => ({
    rows: `V = ${size}`,
    list: modelRows(size, (seed, step, stream) => sampler.uniform(seed, step, stream)),
  }));
  sets.push({ rows: `real, V = ${realRows[0]!.length}`, list: realRows.map((row) => Float32Array.from(row)) });
  const measurements: Measurement[] = [];
  for (const { rows, list } of sets) {
    const vocabSize = list[0]!.length;
    const baseline = new JavaScriptSampler(vocabSize);
    const floor = await loadFloor(Uint8Array.from(floorModule), vocabSize);
    // A page's clock has steps of 5 microseconds: short rows are read again until a round lasts many of them.
    const repeats = Math.ceil(leastPerRound / (vocabSize * list.length));
    for (const { setting, temperature, topK, topP } of settings) {
      const readsOnce = temperature === 0 || topK > 0;
      let draw = 0;
      const contenders: ((row: Float32Array, u: number) => unknown)[] = [
        (row) => (readsOnce ? floor.blockMaxima(row) : floor.softmaxSum(row)),
        (row, u) => sampler.sampleToken(row, { temperature, topK, topP, u }),
        (row, u) => baseline.sampleToken(row, temperature, topK, topP, u),
      ];
      const times = contenders.map((): number[] => []);
      for (let round = 0; round < rounds; round++) {
        const us = list.map(() => sampler.uniform(1, draw++, 9));
        contenders.forEach((contender, i) => {
          times[i]!.push(
            timeOf(repeats * list.length, () => {
              for (let i = 0; i < repeats; i++) list.forEach((row, r) => contender(row, us[r]!));
            }),
          );
        });
      }
      const [floorTiming, quillmate, javascript] = times.map(timing) as [Timing, Timing, Timing];
      measurements.push({ rows, setting, floor: floorTiming, quillmate, javascript });
    }
  }
  return measurements;
}

/** Times a batch of 16 rows with mixed settings, and the same rows one by one; per batch. */
export async function measureBatch(
  vocabSize: number,
  { simd, rounds }: Pick<Plan, 'simd' | 'rounds'>,
): Promise<BatchMeasurement> {
  const sampler = await loadSampler({ simd });
  const uniform = (seed: number, step: number, stream?: number): number => sampler.uniform(seed, step, stream);
  const rows = [
    ...modelRows(vocabSize, uniform),
    ...modelRows(vocabSize, (seed, ...rest) => uniform(seed + 8, ...rest)),
  ];
  const logits = new Float32Array(rows.length * vocabSize);
  rows.forEach((row, r) => {
    logits.set(row, r * vocabSize);
  });
  const each = rows.map((_, r) => settings[r % settings.length]!);
  const perRow = {
    temperature: each.map(({ temperature }) => temperature),
    topK: each.map(({ topK }) => topK),
    topP: each.map(({ topP }) => topP),
  };
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const u = rows.map((_, r) => uniform(2, 16 * round + r, 9));
    times[0].push(
      timeOf(1, () => {
        rows.forEach((row, r) => sampler.sampleToken(row, { ...each[r]!, u: u[r]! }));
      }),
    );
    times[1].push(timeOf(1, () => sampler.sampleBatch(logits, vocabSize, { ...perRow, u })));
  }
  return { singles: timing(times[0]), batch: timing(times[1]) };
}

export function timeOf(count: number, work: () => unknown): number {
  const start = performance.now();
  work();
  return ((performance.now() - start) * 1000) / count;
}

export function timing(times: number[]): Timing {
  const sorted = [...times].sort((a, b) => a - b);
  return { fastest: sorted[0]!, median: sorted[sorted.length >> 1]! };
}
