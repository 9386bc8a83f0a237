import { batch, computed, effect, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import { loadSampler, StepBatchError, type FullSettings } from 'quillmate-sampler';
import type { LoadedModel } from '../models/loaded-model';
import { Chain, type Try } from './chain';
import { prove, type Proof } from './proofs';
import { pastedSource, RowCache, type Source } from './source';
import { viewToken, type TokenView } from './token-view';
import { words } from './words';

/** What can be typed: numbers only when they are used, when the sampler says what is wrong with them. */
export interface Fields {
  readonly prompt: string;
  readonly seeds: string;
  readonly temperature: string;
  readonly topK: string;
  readonly topP: string;
  readonly length: string;
  readonly logits: string;
}

/** A token that is looked at: whose, and which of those drawn. */
export interface Place {
  readonly chain: number;
  readonly token: number;
}

/** What a visit begins with. */
export interface Start {
  readonly fields: Fields;
  /** Whether the rows are pasted logits, not a model's. */
  readonly pasted: boolean;
}

/** What was written again of a text that had so many tokens. */
interface Proved {
  readonly chain: Chain;
  readonly drawn: number;
  readonly proofs: readonly Proof[];
}

/** What is tried on the token that is looked at. */
export interface Trial {
  readonly u: number;
  readonly settings: FullSettings;
}

export const mostSeeds = 8;
export const mostTokens = 200;

/** The largest number that a draw can have. */
export const largestUniform = 1 - 2 ** -53;

/** The state of the page and all that one can do to it. Knows nothing of the document. */
export class Explorer {
  readonly fields: Signal<Fields>;
  readonly pasted: Signal<boolean>;
  readonly running = signal(false);
  readonly chains = signal<readonly Chain[]>([]);
  readonly place = signal<Place | null>(null);
  /** Null: the token as it was drawn. */
  readonly trial = signal<Trial | null>(null);
  readonly view = signal<TokenView | null>(null);
  /** The first token of the text that the trial's settings change; null: none; undefined: not known yet. */
  readonly change = signal<number | null | undefined>(undefined);
  readonly proving = signal(false);
  readonly problem = signal<string | null>(null);

  readonly #model: ReadonlySignal<LoadedModel | null>;
  readonly #try = signal<Try | null>(null);
  readonly #proved = signal<Proved | null>(null);
  #stop = new AbortController();

  readonly canWrite = computed(() => !this.running.value && (this.pasted.value || this.#model.value !== null));
  readonly source = computed(() => this.#try.value?.source ?? null);
  readonly settings = computed(() => this.#try.value?.settings ?? null);
  readonly chain = computed(() => this.chains.value[this.place.value?.chain ?? 0] ?? null);
  /** Of the text that is looked at, as it is now: they say nothing of another, nor of one that has grown. */
  readonly proofs = computed((): readonly Proof[] => {
    if (!this.#proved.value) return [];
    const { chain, drawn, proofs } = this.#proved.value;
    return chain === this.chain.value && drawn === chain.pieces.value.length ? proofs : [];
  });

  constructor(model: ReadonlySignal<LoadedModel | null>, { fields, pasted }: Start) {
    this.fields = signal(fields);
    this.pasted = signal(pasted);
    this.#model = model;
    effect(() => {
      this.#forget();
    });
    effect(() => this.#look());
    effect(() => this.#foresee());
  }

  type(field: keyof Fields, text: string): void {
    this.fields.value = { ...this.fields.value, [field]: text };
  }

  /** Writes a text with each of the seeds, all of them growing together. */
  async write(): Promise<void> {
    if (!this.canWrite.value) return;
    try {
      const count = toCount(this.fields.value.length, words.fields.length, mostTokens);
      await this.#begin();
      await this.grow(count);
    } catch (error) {
      this.#report(error);
    }
  }

  /** Draws so many tokens more of each text. */
  async grow(count: number): Promise<void> {
    this.#stop = new AbortController();
    this.running.value = true;
    const { signal } = this.#stop;
    const sampler = this.source.value?.sampler;
    try {
      for (let drawn = 0; drawn < count && sampler && !signal.aborted; drawn += 1) {
        const growing = this.chains.value.filter(({ ended }) => !ended);
        if (growing.length === 0) break;
        await sampler.stepBatch(growing.map(({ generator }) => generator));
        batch(() => {
          for (const chain of growing) chain.show();
          this.place.value ??= { chain: 0, token: 0 };
        });
        // A model that answers at once must not keep the page from being drawn.
        await new Promise((resolve) => setTimeout(resolve));
      }
    } catch (error) {
      this.#report(error);
    } finally {
      this.running.value = false;
    }
  }

  stop(): void {
    this.#stop.abort();
  }

  /** Looks at a token as it was drawn. */
  go(place: Place): void {
    batch(() => {
      this.place.value = place;
      this.trial.value = null;
    });
  }

  /** The next token of the text; a new one, at its end. */
  async forward(): Promise<void> {
    const [place, chain] = [this.place.value, this.chain.value];
    if (!place || !chain) return;
    const token = place.token + 1;
    if (token >= chain.drawn.length) {
      if (this.running.value || chain.ended) return;
      this.running.value = true;
      try {
        await chain.generator.step();
        chain.show();
      } catch (error) {
        this.#report(error);
        return;
      } finally {
        this.running.value = false;
      }
    }
    this.go({ ...place, token });
  }

  back(): void {
    const place = this.place.value;
    if (place && place.token > 0) this.go({ ...place, token: place.token - 1 });
  }

  /** Changes the number or the settings of the token that is looked at, to see what would be. */
  attempt(change: { readonly u?: number; readonly settings?: Partial<FullSettings> }): void {
    const [place, chain, settings] = [this.place.value, this.chain.value, this.settings.value];
    if (!place || !chain || !settings) return;
    const before = this.trial.value ?? { u: chain.uniform(place.token), settings };
    this.trial.value = {
      u: Math.min(largestUniform, Math.max(0, change.u ?? before.u)),
      settings: { ...before.settings, ...change.settings },
    };
  }

  /** Writes all texts with the settings that were tried. */
  async adopt(): Promise<void> {
    const trial = this.trial.value;
    if (!trial) return;
    const { temperature, topK, topP } = trial.settings;
    this.fields.value = {
      ...this.fields.value,
      temperature: String(temperature),
      topK: String(topK),
      topP: String(topP),
    };
    await this.write();
  }

  /** Writes the text that is looked at in every other way. */
  async prove(): Promise<void> {
    const [chain, source] = [this.chain.value, this.source.value];
    if (!chain || !source || this.running.value || this.proving.value) return;
    const proved = { chain, drawn: chain.pieces.value.length };
    batch(() => {
      this.#proved.value = null;
      this.proving.value = true;
      this.problem.value = null;
    });
    try {
      const proofs: Proof[] = [];
      for await (const proof of prove(source, chain.generator.state())) {
        if (!this.chains.value.includes(chain)) break;
        proofs.push(proof);
        this.#proved.value = { ...proved, proofs: [...proofs] };
      }
    } catch (error) {
      this.#proved.value = null; // some of the ways prove nothing of the others
      this.#report(error);
    } finally {
      this.proving.value = false;
    }
  }

  async #begin(): Promise<void> {
    const { prompt, logits, temperature, topK, topP, seeds } = this.fields.value;
    const pasted = this.pasted.value;
    const source = pasted ? pastedSource(await loadSampler(), logits) : sourceOf(this.#model.value);
    if (!source) return;
    const settings = {
      temperature: toNumber(temperature),
      topK: toNumber(topK),
      topP: toNumber(topP),
    };
    const tokens = source.prompt(prompt);
    if (!pasted && tokens.length === 0) throw new Error(words.noPrompt);
    const common: Try = { source, pasted, settings, prompt: tokens, rows: new RowCache(source.vocabSize) };
    const chains = toSeeds(seeds).map((seed) => new Chain(common, seed));
    this.#put(common, chains);
  }

  #put(common: Try | null, chains: readonly Chain[]): void {
    for (const chain of this.chains.peek()) chain.dispose();
    batch(() => {
      this.problem.value = null;
      this.#try.value = common;
      this.chains.value = chains;
      this.place.value = null;
      this.trial.value = null;
      this.#proved.value = null;
    });
  }

  /** Texts of a model that is gone could neither be looked at nor go on. */
  #forget(): void {
    const model = this.#model.value?.model;
    const common = this.#try.peek();
    if (common && !common.pasted && common.source.model !== model) this.#put(null, []);
  }

  /** The picture of the token that is looked at, as soon as its row is there. */
  #look(): (() => void) | undefined {
    const [place, chain, trial, common] = [this.place.value, this.chain.value, this.trial.value, this.#try.value];
    if (!place || !chain || !common || place.token >= chain.pieces.value.length) {
      this.view.value = null;
      return undefined;
    }
    const { u, settings } = trial ?? { u: chain.uniform(place.token), settings: common.settings };
    return upToDate(async (signal) => {
      const row = await chain.row(place.token);
      if (!signal.aborted) this.view.value = viewToken(common.source.sampler, row, settings, u);
    }, this.#report);
  }

  /** Where the text would first be another with the settings that are tried. */
  #foresee(): (() => void) | undefined {
    const [chain, settings] = [this.chain.value, this.trial.value?.settings];
    this.change.value = undefined;
    if (!chain || !settings) return undefined;
    return upToDate(async (signal) => {
      const change = await chain.firstChange(settings, signal);
      if (!signal.aborted) this.change.value = change ?? null;
    }, this.#report);
  }

  readonly #report = (error: unknown): void => {
    const [first] = error instanceof StepBatchError ? error.outcomes.filter((o) => o.status === 'rejected') : [];
    const reason: unknown = first?.error ?? error;
    this.problem.value = reason instanceof Error ? reason.message : String(reason);
  };
}

/** Does something of which only the latest counts; what is returned says that it does no longer. */
function upToDate(work: (signal: AbortSignal) => Promise<void>, report: (error: unknown) => void): () => void {
  const abort = new AbortController();
  work(abort.signal).catch((error: unknown) => {
    if (!abort.signal.aborted) report(error);
  });
  return () => {
    abort.abort();
  };
}

function sourceOf(loaded: LoadedModel | null): Source | null {
  if (!loaded) return null;
  const { sampler, model, tokenizer } = loaded;
  return {
    sampler,
    model,
    vocabSize: model.vocabSize,
    endIds: model.eosTokenIds,
    prompt: (text) => tokenizer.prompt(text),
    text: (tokens) => tokenizer.text(tokens),
    label: (id) => tokenizer.label(id),
  };
}

/** NaN for what is none, which the sampler refuses in its own words. */
const toNumber = (text: string): number => (text.trim() === '' ? NaN : Number(text));

function toCount(text: string, name: string, most: number): number {
  const count = toNumber(text);
  if (!Number.isInteger(count) || count < 1 || count > most) throw new Error(words.noCount(name, most));
  return count;
}

function toSeeds(text: string): string[] {
  const seeds = text.split(/[\s,;]+/).filter((seed) => seed !== '');
  if (seeds.length === 0 || seeds.length > mostSeeds) throw new Error(words.noSeeds(mostSeeds));
  return seeds;
}
