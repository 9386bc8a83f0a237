import { signal } from '@preact/signals';
import type { FullSettings, Generator, LogitsInput, Model } from 'quillmate-sampler';
import type { RowCache, Source } from './source';

/** What all the chains of a try have in common. */
export interface Try {
  readonly source: Source;
  /** Whether the rows are pasted logits, not a model's. */
  readonly pasted: boolean;
  readonly prompt: readonly number[];
  readonly settings: FullSettings;
  readonly rows: RowCache;
}

/** One seed's text as it grows. */
export class Chain {
  /** What each drawn token added to the text; nothing, where a character is not complete yet. */
  readonly pieces = signal<readonly string[]>([]);
  readonly seed: string;
  readonly #try: Try;
  readonly #generator: Generator;
  #drawn: readonly number[] = [];
  #text = '';

  constructor(common: Try, seed: string) {
    const { source, prompt, settings, rows } = common;
    const model: Model = async (tokens, options) => {
      const row = await source.model(tokens, options);
      rows.keep(tokens, row);
      return row;
    };
    this.#try = common;
    this.#generator = new source.sampler.Generator(Object.assign(model, { identity: source.model.identity }), prompt, {
      ...settings,
      seed,
      audit: 'full',
    });
    this.seed = this.#generator.seed;
  }

  /** For `stepBatch`; {@link show} then shows what was drawn. */
  get generator(): Generator {
    return this.#generator;
  }

  get drawn(): readonly number[] {
    return this.#drawn;
  }

  get ended(): boolean {
    return this.#try.source.endIds.includes(this.#drawn.at(-1) ?? -1);
  }

  show(): void {
    const { source, prompt } = this.#try;
    const drawn = this.#generator.tokens.slice(prompt.length);
    const pieces = [...this.pieces.value];
    for (let count = this.#drawn.length + 1; count <= drawn.length; count += 1) {
      const text = source.text(drawn.slice(0, count));
      pieces.push(text.slice(this.#text.length));
      this.#text = text;
    }
    this.#drawn = drawn;
    this.pieces.value = pieces;
  }

  /** The number that a token was drawn with. */
  uniform(token: number): number {
    return this.#try.source.sampler.uniform(this.seed, token);
  }

  /** The row that a token was drawn from. */
  async row(token: number): Promise<LogitsInput> {
    const { source, prompt, rows } = this.#try;
    const tokens = [...prompt, ...this.#drawn.slice(0, token)];
    const known = rows.get(tokens);
    if (known) return known;
    const row = await source.model(tokens, { promptLength: prompt.length });
    rows.keep(tokens, row);
    return row;
  }

  /** The first token that other settings would have drawn otherwise; undefined when there is none. */
  async firstChange(settings: FullSettings, signal: AbortSignal): Promise<number | undefined> {
    for (const [token, id] of this.#drawn.entries()) {
      const row = await this.row(token);
      signal.throwIfAborted();
      if (this.#try.source.sampler.sampleToken(row, { ...settings, u: this.uniform(token) }) !== id) return token;
    }
    return undefined;
  }

  dispose(): void {
    this.#generator.dispose();
  }
}
