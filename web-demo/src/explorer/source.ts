import type { LogitsInput, Model, Sampler } from 'quillmate-sampler';
import { words } from './words';

/** Where rows of logits come from, and what their tokens mean. */
export interface Source {
  readonly sampler: Sampler;
  readonly model: Model;
  readonly vocabSize: number;
  /** The tokens that end a text. */
  readonly endIds: readonly number[];
  /** The tokens that texts go on from. */
  prompt(text: string): number[];
  /** What drawn tokens write. */
  text(tokens: readonly number[]): string;
  /** What one token is called. */
  label(id: number): string;
}

/** A model whose rows are always the same: those that were pasted. */
export function pastedSource(sampler: Sampler, text: string): Source {
  const row = readLogits(text);
  return {
    sampler,
    model: () => row,
    vocabSize: row.length,
    endIds: [],
    prompt: () => [],
    text: (tokens) => tokens.map((id) => `#${id} `).join(''),
    label: (id) => `#${id}`,
  };
}

/**
 * Numbers apart by commas, semicolons or space, with or without brackets; `-inf` bans a token.
 * @throws Error that names what is no number
 */
export function readLogits(text: string): number[] {
  const parts = text.split(/[\s,;[\]]+/).filter((part) => part !== '');
  if (parts.length === 0) throw new Error(words.noLogits);
  return parts.map((part) => {
    if (/^-inf(inity)?$/i.test(part)) return -Infinity;
    const value = Number(part);
    if (!Number.isFinite(value)) throw new Error(words.notALogit(part));
    return value;
  });
}

/** Rows that were seen, the latest in all up to a size; others are asked of the model again. */
export class RowCache {
  readonly #rows = new Map<string, LogitsInput>();
  readonly #most: number;

  /** @param vocabSize the length of the rows */
  constructor(vocabSize: number) {
    this.#most = Math.max(8, Math.floor(keptLogits / vocabSize));
  }

  get(tokens: readonly number[]): LogitsInput | undefined {
    return this.#rows.get(tokens.join());
  }

  keep(tokens: readonly number[], row: LogitsInput): void {
    const key = tokens.join();
    this.#rows.delete(key);
    this.#rows.set(key, row);
    for (const oldest of this.#rows.keys()) {
      if (this.#rows.size <= this.#most) return;
      this.#rows.delete(oldest);
    }
  }
}

/** 64 MB of float32. */
const keptLogits = 16e6;
