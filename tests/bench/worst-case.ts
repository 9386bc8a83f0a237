import { loadSampler } from 'quillmate-sampler';
import { modelRows } from './rows.js';

type Row = Float32Array | Float64Array;

interface Settings {
  readonly temperature: number;
  readonly topK: number;
  readonly topP: number;
}

/** The slowest token that was found on a kind of row. */
export interface WorstCase {
  readonly kind: string;
  readonly settings: Settings;
  readonly u: number;
  readonly milliseconds: number;
}

const temperatures = [1, 0.02, 2 ** 54];
const filters = [
  { topK: 0, topP: 1 },
  { topK: 0, topP: 0.95 },
  { topK: 0, topP: 1 - 2 ** -53 },
  { topK: 200_000, topP: 1 },
  { topK: 200_000, topP: 0.999 },
];

const MOST_TIMED_AGAIN = 8;

/**
 * Looks for the slowest tokens: for each kind of row and each of many settings, draws on, just below and just above the
 * boundary between two tokens, found by bisection, which is where the cheap levels cannot decide; and the same with a top-p on and
 * beside the boundary where one token more is kept. The slowest of each kind of row are timed again.
 */
export async function findWorstCases(vocabSize: number, draws: number): Promise<WorstCase[]> {
  const sampler = await loadSampler();
  return Object.entries(rowsOf(vocabSize, (...args) => sampler.uniform(...args))).map(([kind, row]) => {
    const slowest: WorstCase[] = [];
    const settings = temperatures.flatMap((temperature) => {
      const countKept = (topP: number): number => sampler.distribution(row, { temperature, topP }).ids.length;
      const usual = countKept(0.95);
      const keepsMore = (topP: number): boolean => countKept(topP) > usual;
      const hard = beside(boundary(keepsMore, 0.95, 1)).map((topP) => ({ topK: 0, topP }));
      return [...filters, ...hard].map((filter) => ({ temperature, ...filter }));
    });
    for (const [index, setting] of settings.entries()) {
      const tokenAt = (u: number): number => sampler.sampleToken(row, { ...setting, u });
      for (let draw = 0; draw < draws; draw++) {
        const start = sampler.uniform(index, draw, 7);
        const token = tokenAt(start);
        for (const u of beside(tokenAt(0) === token ? 0 : boundary((u) => tokenAt(u) === token, 0, start))) {
          const milliseconds = fastestOf(3, () => tokenAt(u));
          slowest.push({ kind, settings: setting, u, milliseconds });
          slowest.sort((a, b) => b.milliseconds - a.milliseconds);
          slowest.splice(MOST_TIMED_AGAIN);
        }
      }
    }
    // Whatever else the machine did made some of them slow.
    const again = slowest.map((found): WorstCase => {
      const draw = { ...found.settings, u: found.u };
      return { ...found, milliseconds: fastestOf(30, () => sampler.sampleToken(row, draw)) };
    });
    return again.reduce((a, b) => (b.milliseconds > a.milliseconds ? b : a));
  });
}

/** The number next below the one between `below` and `above` from which the answer is no longer false. */
function boundary(isReached: (x: number) => boolean, below: number, above: number): number {
  for (;;) {
    const middle = below + (above - below) / 2;
    if (middle === below || middle === above) return below;
    if (isReached(middle)) above = middle;
    else below = middle;
  }
}

/** Published worst cases for the correct rounding of e^x (Lefevre and Muller, 2001). */
const hardest = [
  0, -0.9300183637496172, -0.14504743082833096, -0.0001997928992905134, -1.4353822566968892e-8, -6.03594674424366e-10,
  -2.557953848736688e-13,
];

/** A double and its neighbours in [0, 1). */
function beside(u: number): number[] {
  const bits = new BigInt64Array(new Float64Array([u]).buffer)[0]!;
  return [bits - 1n, bits, bits + 1n, bits + 2n]
    .map((neighbour) => new Float64Array(new BigInt64Array([neighbour]).buffer)[0]!)
    .filter((neighbour) => neighbour >= 0 && neighbour < 1);
}

function fastestOf(rounds: number, work: () => unknown): number {
  let fastest = Infinity;
  for (let i = 0; i < rounds; i++) {
    const start = performance.now();
    work();
    fastest = Math.min(fastest, performance.now() - start);
  }
  return fastest;
}

function rowsOf(size: number, uniform: (seed: number, step: number, stream?: number) => number): Record<string, Row> {
  const floats = (of: (i: number) => number): Row => Float32Array.from({ length: size }, (_, i) => of(i));
  const noise = (i: number): number => uniform(1, i, 8);
  return {
    'all equal': floats(() => 1),
    'two values': floats((i) => (noise(i) < 0.5 ? 0 : 1)),
    ascending: floats((i) => i / size),
    descending: floats((i) => -i / size),
    'one spike': floats((i) => (i === size >> 1 ? 30 : noise(i))),
    'huge, both signs': floats((i) => (noise(i) < 0.5 ? 3e38 : -3e38)),
    'all banned but one': floats((i) => (i === size >> 1 ? 0 : -Infinity)),
    'uniform noise': floats((i) => 10 * noise(i)),
    'noise as bfloat16': floats((i) => Math.round(16 * (1 + noise(i))) / 8),
    'like a language model': modelRows(size, uniform)[2]!,
    'odd whole numbers': floats((i) => -(2 * i + 1)),
    // Their exponentials lie next to the midpoints of doubles, and so are hard to round.
    'hard to round': Float64Array.from({ length: size }, (_, i) =>
      i === 0 ? 0 : Math.log1p(-(2 * Math.floor(2 ** 40 * noise(i)) + 1) * 2 ** -54),
    ),
    'hardest to round': Float64Array.from({ length: size }, (_, i) => hardest[i % hardest.length]!),
  };
}
