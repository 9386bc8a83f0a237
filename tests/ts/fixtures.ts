// Reads the golden fixtures; tests/fixtures/README.md describes the files.
import { loadSampler } from 'quillmate-sampler';

const sampler = await loadSampler();

type Text64 = string;
export type Numeric = number | 'NaN' | 'Infinity' | '-Infinity';

interface UniformRow {
  seed: Text64;
  count: number;
  levels: number;
  scale: number;
  offset: number;
}
export type RowItem = Numeric | { repeat: [Numeric, number] } | { uniform: UniformRow };

export interface Named {
  name: string;
}

/** A case's fields that say how to sample. */
export interface SettingsCase {
  temperature: Numeric;
  topK: Numeric;
  topP: Numeric;
}

/** Parsed here: an import as JSON would lose the sign of -0. */
export function parse<T>(text: string): T {
  return JSON.parse(text) as T;
}

export const number = (numeric: Numeric): number => Number(numeric);

export const settingsOf = ({ temperature, topK, topP }: SettingsCase): Record<keyof SettingsCase, number> => ({
  temperature: number(temperature),
  topK: number(topK),
  topP: number(topP),
});

/** A row's numbers before they are rounded to its type. */
export function numbers(items: readonly RowItem[]): number[] {
  return items.flatMap((item) => {
    if (typeof item !== 'object') return [number(item)];
    if ('repeat' in item) return Array<number>(item.repeat[1]).fill(number(item.repeat[0]));
    const { count, levels, scale, offset } = item.uniform;
    const seed = BigInt(item.uniform.seed); // read once
    return Array.from(
      { length: count },
      (_, i) => (Math.floor(sampler.uniform(seed, i) * levels) / levels) * scale + offset,
    );
  });
}

export type Dtype = 'float32' | 'float64';

export function row(items: readonly RowItem[], dtype: Dtype): Float32Array | Float64Array {
  return dtype === 'float32' ? Float32Array.from(numbers(items)) : Float64Array.from(numbers(items));
}

/** The toy model of generator.json. */
export function toyModel(vocabSize: number, modelSeed: string, dtype: Dtype = 'float64') {
  return (tokens: readonly number[]): Float32Array | Float64Array => {
    const text = tokens.reduce((hash, token) => (Math.imul(31, hash) + token + 1) >>> 0, 0);
    const logits = Array.from({ length: vocabSize }, (_, i) => sampler.uniform(modelSeed, i, text) * 16 - 8);
    return dtype === 'float32' ? Float32Array.from(logits) : Float64Array.from(logits);
  };
}
