import { words } from '../words';

/** What a writer can turn: the seed, the three sampling settings and how much to write. */
export interface Dials {
  /** Unsigned 64-bit, decimal, no leading zeros. */
  seed: string;
  temperature: number;
  topK: number;
  topP: number;
  /** Tokens per press of Continue. */
  length: number;
}

export type DialName = keyof Dials;

/** The dials as typed: a field may hold something that is not a number yet. */
export type DialTexts = Readonly<Record<DialName, string>>;

export type DialProblems = Partial<Record<DialName, string>>;

export const longestRun = 1000;

export function freshSeed(): string {
  // 32 bits are plenty for variety and stay short enough to read aloud or write down.
  const [seed] = crypto.getRandomValues(new Uint32Array(1));
  return String(seed);
}

/** The seed is one that suits the sample opening, so that everybody's first page is the same. */
export function firstDials(): DialTexts {
  return { seed: '24', temperature: '0.8', topK: '0', topP: '0.95', length: '120' };
}

export type PresetName = 'steady' | 'storyteller' | 'bold' | 'dreamer';

type Preset = Readonly<Pick<DialTexts, 'temperature' | 'topP' | 'topK'>>;

/** Settings that go well together, from plain to strange. */
export const presets: Readonly<Record<PresetName, Preset>> = {
  steady: { temperature: '0.6', topP: '0.9', topK: '40' },
  storyteller: { temperature: '0.8', topP: '0.95', topK: '0' },
  bold: { temperature: '1', topP: '0.95', topK: '0' },
  dreamer: { temperature: '1.25', topP: '0.98', topK: '0' },
};

export const presetNames = Object.keys(presets) as readonly PresetName[];

/** The preset whose numbers these are. */
export function presetOf({ temperature, topP, topK }: DialTexts): PresetName | null {
  const found = presetNames.find((name) => {
    const preset = presets[name];
    return (
      Number(preset.temperature) === Number(temperature) &&
      Number(preset.topP) === Number(topP) &&
      Number(preset.topK) === Number(topK)
    );
  });
  return found ?? null;
}

const seedLimit = 1n << 64n;

/** Decimal notation only, as `String` writes it, too: `Number` alone would also take '', '0x10' and 'Infinity'. */
function readNumber(text: string): number {
  return /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
}

function readWhole(text: string, least: number, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  return value >= least && value <= most ? value : NaN;
}

/** Reads all dials, or says for each wrong one what it takes. */
export function readDials(texts: DialTexts): { dials: Dials } | { problems: DialProblems } {
  const text = (name: DialName) => texts[name].trim();
  const problems: DialProblems = {};

  const seed = /^\d{1,20}$/.test(text('seed')) ? BigInt(text('seed')) : seedLimit;
  if (seed >= seedLimit) problems.seed = words.dialProblems.seed;

  const temperature = readNumber(text('temperature'));
  if (!Number.isFinite(temperature)) problems.temperature = words.dialProblems.temperature;

  const topK = readWhole(text('topK'), 0, Number.MAX_SAFE_INTEGER);
  if (Number.isNaN(topK)) problems.topK = words.dialProblems.topK;

  const topP = readNumber(text('topP'));
  if (!(topP <= 1)) problems.topP = words.dialProblems.topP;

  const length = readWhole(text('length'), 1, longestRun);
  if (Number.isNaN(length)) problems.length = words.dialProblems.length;

  if (Object.keys(problems).length > 0) return { problems };
  return { dials: { seed: seed.toString(), temperature, topK, topP, length } };
}
