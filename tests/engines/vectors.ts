import { readFileSync } from 'node:fs';

type Item = number | '-Infinity' | 'Infinity' | 'NaN' | { repeat: [Item, number] } | { uniform: object };

interface Row {
  readonly name: string;
  readonly dtype: 'float32' | 'float64' | 'float16' | 'bfloat16';
  readonly logits: readonly Item[];
}

const BELOW_ONE = 1 - 2 ** -53;
const SMOOTH = 2 ** 53;

/** `floor(u * levels) / levels * scale + offset`. */
const noise = (seed: number, count: number, levels: number, scale: number, offset: number): Item => ({
  uniform: { seed: String(seed), count, levels, scale, offset },
});

const ramp = (count: number, from: number, step: number): number[] =>
  Array.from({ length: count }, (_, i) => from + i * step);

/** A Zipf-like head, strewn over a bulk that weighs little, as a language model makes them. */
function languageModelRow(seed: number, vocabSize: number): Item[] {
  const heads = 60;
  const chunk = Math.floor(vocabSize / heads) - 1;
  const bulk = (i: number, count: number) => noise(1000 * seed + i, count, SMOOTH, 14, -16);
  const head = (rank: number) => Math.fround(18 - (1 + seed / 4) * Math.log(1 + rank));
  const items = ramp(heads, 0, 1).flatMap((i) => [bulk(i, chunk), head((i * 37) % heads)]);
  return [...items, bulk(heads, vocabSize - heads * (chunk + 1))];
}

const SPIKE = 12;
/** The case that has the spike, and the float after it. */
export const changed = { name: 'a spike (float32)', spike: SPIKE + 2 ** -20 };

const rows = (spike: number): Row[] => [
  ...[1, 2, 3, 5, 16, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 513, 1025, 4097].map((size): Row => ({
    name: `${size} logits`,
    dtype: 'float32',
    logits: [noise(size, size, SMOOTH, 16, -8)],
  })),
  { name: "a model's row of 32,000", dtype: 'float32', logits: languageModelRow(1, 32_000) },
  { name: "a model's row of 50,257", dtype: 'float64', logits: languageModelRow(2, 50_257) },
  { name: '20,000 logits of two values', dtype: 'float32', logits: [noise(11, 20_000, 2, 1, 3)] },
  { name: '20,000 logits of 64 values', dtype: 'float32', logits: [noise(12, 20_000, 64, 8, 0)] },
  { name: 'a spike', dtype: 'float32', logits: [{ repeat: [-5, 7777] }, spike, { repeat: [-5, 2222] }] },
  { name: '2,000 ascending logits', dtype: 'float32', logits: ramp(2000, -10, 2 ** -7) },
  { name: '2,000 descending logits', dtype: 'float32', logits: ramp(2000, 10, -(2 ** -7)) },
  { name: '2,000 ascending neighbours of 1', dtype: 'float64', logits: ramp(2000, 1, 2 ** -52) },
  { name: '3e38 beside -3e38', dtype: 'float32', logits: [{ repeat: [-3e38, 900] }, 3e38, -3e38, 3e38] },
  { name: 'numbers up to 3e38', dtype: 'float32', logits: [noise(13, 3000, 4096, 6e38, -3e38)] },
  { name: 'numbers up to 8e307', dtype: 'float64', logits: [noise(17, 3000, 4096, 1.6e308, -8e307)] },
  {
    name: 'all banned but one',
    dtype: 'float32',
    logits: [{ repeat: ['-Infinity', 40_000] }, -3, { repeat: ['-Infinity', 9999] }],
  },
  {
    name: 'every other token banned',
    dtype: 'float32',
    logits: ramp(1000, 0, 2 ** -7).flatMap((x): Item[] => [x, '-Infinity']),
  },
  { name: 'subnormal floats', dtype: 'float32', logits: [noise(14, 5000, 4096, 2 ** -130, -(2 ** -131))] },
  { name: 'subnormal doubles', dtype: 'float64', logits: [noise(15, 5000, 4096, 2 ** -1030, -(2 ** -1031))] },
  { name: 'weights that are subnormal', dtype: 'float64', logits: [noise(16, 3000, SMOOTH, 40, -747), 0] },
  // Of 16 bits the numbers are patterns: floats of 8 to 32 with many ties, then a subnormal, minus zero and minus infinity.
  { name: '20,000 logits', dtype: 'float16', logits: [noise(18, 20_000, 2048, 2048, 0x4800), 1, 0x8000, 0xfc00] },
  { name: '20,000 logits', dtype: 'bfloat16', logits: [noise(19, 20_000, 256, 256, 0x4100), 1, 0x8000, 0xff80] },
  { name: 'a NaN far behind', dtype: 'float32', logits: [{ repeat: [1, 9999] }, 'NaN', 1, 'Infinity'] },
  { name: 'an infinity in the last place', dtype: 'float64', logits: [{ repeat: ['-Infinity', 4099] }, 'Infinity'] },
  { name: 'all banned', dtype: 'float32', logits: [{ repeat: ['-Infinity', 1000] }] },
];

const longRows: Row[] = [
  { name: "a model's row of 262,144", dtype: 'float32', logits: languageModelRow(3, 262_144) },
  { name: '262,144 equal logits', dtype: 'float32', logits: [{ repeat: [0.1, 262_144] }] },
];

const settings = [
  { temperature: 1, topK: 0, topP: 1 },
  { temperature: 0.8, topK: 0, topP: 0.95 },
  { temperature: 0.7, topK: 40, topP: 0.9 },
  { temperature: 1.3, topK: 1000, topP: 0.5 },
  { temperature: 0, topK: 0, topP: 1 },
];

const spread = (count: number): number[] => ramp(count, 1, 1).map((i) => (i * 0.6180339887498949) % 1);
const draws = [0, ...spread(3), BELOW_ONE].map((u) => [u]);

const batch = (['float32', 'float64'] as const).map((dtype) => ({
  name: `20 rows of 1,000 (${dtype})`,
  dtype,
  vocabSize: 1000,
  rows: ramp(20, 0, 1).map((i) => [noise(30 + i, 1000, i % 2 === 0 ? SMOOTH : 32, 20, -10)]),
  settings: spread(20).map((u, i) => ({ ...settings[i % settings.length], u })),
}));

const speculative = [2, 17, 1000, 50_257].flatMap((size) =>
  [0, size >> 1].map((draft) => ({
    name: `${size} weights, draft ${draft}`,
    p: [noise(60 + size, size, SMOOTH, 1, 0)],
    q: [noise(61 + size, size, SMOOTH, 1, 2 ** -10)],
    draft,
    draws: spread(12).map((u, i, all) => [u, all.at(-1 - i)]),
  })),
);

// Settings whose text has exponents and many digits, and a name that must be escaped.
const runs = [1e-7, 1e21, 123456.789, 5e-324, 0].map((temperature, i) => ({
  name: `temperature ${temperature}`,
  vocabSize: 300,
  modelSeed: String(i),
  dtype: 'float32',
  prompt: [i],
  seed: '18446744073709551615',
  temperature,
  topK: i,
  topP: 1 - 2 ** (-i - 2),
  identity: { 'a "name"': '\b\t\n\v\f\r\\ é \u2028 😀' },
}));

const words = ['0', '1', '4294967295', '4294967296', '9007199254740993', '18446744073709551615'];
const uniform = words.flatMap((seed) => words.flatMap((step) => words.map((stream) => ({ seed, step, stream }))));

const document = (list: string, cases: readonly object[]): string =>
  `{"${list}":[\n${cases.map((one) => JSON.stringify(one)).join(',\n')}\n]}`;

/** A golden fixture, left as it is: only its text keeps the sign of -0. */
const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), 'utf8').trimEnd();

/**
 * The vector file: sections, each a list of documents in the format of the golden fixtures, theirs first.
 *
 * @param options short: without the rows that take long, those of the fixtures among them; spike: one logit
 */
export function vectorFile({ short = false, spike = SPIKE } = {}): string {
  const chosen = short ? rows(spike) : [...rows(spike), ...longRows];
  const sampling = chosen.map(({ name, ...row }) => ({ name: `${name} (${row.dtype})`, ...row, settings, draws }));
  const golden = short ? [] : [fixture('sampling'), fixture('boundaries')];
  const sections = {
    uniform: [fixture('uniform'), document('uniform', uniform)],
    sampling: [...golden, fixture('distribution'), document('cases', sampling)],
    batch: [fixture('batch'), document('cases', batch)],
    speculative: [fixture('speculative'), document('cases', speculative)],
    emitted: [fixture('emitted'), document('cases', speculative)],
    generator: [fixture('generator'), document('runs', runs)],
    exponential: [fixture('exponential')],
  };
  const lists = Object.entries(sections).map(([name, documents]) => `"${name}":[\n${documents.join(',\n')}]`);
  return `{${lists.join(',\n')}}\n`;
}
