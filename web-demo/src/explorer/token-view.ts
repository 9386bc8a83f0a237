import type { FullSettings, LogitsInput, Sampler } from 'quillmate-sampler';

/** What became of a token: it can be drawn, or which setting cut it. */
export type Fate = 'kept' | 'topK' | 'topP' | 'temperature';

/** One of the likeliest tokens. */
export interface Candidate {
  /** Its place among all tokens, the likeliest having 0. */
  readonly rank: number;
  readonly id: number;
  /** Before anything is cut. */
  readonly probability: number;
  readonly fate: Fate;
}

/** A token that can be drawn, and the part of [0, 1) in which u draws it. */
export interface Share {
  readonly id: number;
  readonly from: number;
  readonly to: number;
}

/** How one token is drawn. The sampler decides everything here but the sums, which are for the picture only. */
export interface TokenView {
  readonly u: number;
  readonly settings: FullSettings;
  /** The token that u hits. */
  readonly hit: number;
  /**
   * The likeliest first, of equal ones the lower id: some at the head, those on both sides of each cut, and that which
   * is hit.
   */
  readonly candidates: readonly Candidate[];
  /** Those that can be drawn, in ascending order of their ids: the order of the walk. */
  readonly walk: readonly Share[];
  /** How many tokens there are of each fate. */
  readonly counts: Readonly<Record<Fate, number>>;
}

const shownAtHead = 10;
const shownBesideCuts = 2;

/** @throws SamplerError what the sampler has against the row, the settings or u */
export function viewToken(sampler: Sampler, row: LogitsInput, settings: FullSettings, u: number): TokenView {
  const { temperature, topK } = settings;
  const hit = sampler.sampleToken(row, { ...settings, u });
  // Temperature 0 takes the largest logit; what it leaves is shown as the model weighs it.
  const all = sampler.distribution(row, { temperature: temperature === 0 ? 1 : temperature });
  const afterTopK = temperature === 0 ? undefined : sampler.distribution(row, { temperature, topK });
  const kept = sampler.distribution(row, settings);

  const left = new Set(afterTopK?.ids);
  const drawable = new Set(kept.ids);
  const fateOf = (id: number): Fate => {
    if (drawable.has(id)) return 'kept';
    if (!afterTopK) return 'temperature';
    return left.has(id) ? 'topP' : 'topK';
  };
  const candidates = Array.from(all.ids, (id, at) => ({ id, probability: all.probabilities[at] ?? 0 }))
    .sort((a, b) => b.probability - a.probability || a.id - b.id)
    .map((candidate, rank): Candidate => ({ ...candidate, rank, fate: fateOf(candidate.id) }));
  const besideCut = ({ rank, fate }: Candidate): boolean =>
    [rank - shownBesideCuts, rank + shownBesideCuts].some((other) => (candidates[other]?.fate ?? fate) !== fate);

  const counts = { kept: kept.ids.length, topK: 0, topP: 0, temperature: 0 };
  if (afterTopK) {
    counts.topK = all.ids.length - afterTopK.ids.length;
    counts.topP = afterTopK.ids.length - kept.ids.length;
  } else {
    counts.temperature = all.ids.length - kept.ids.length;
  }
  let to = 0;
  const walk = Array.from(kept.ids, (id, at) => {
    const from = to;
    to += kept.probabilities[at] ?? 0;
    return { id, from, to };
  });
  return {
    u,
    settings,
    hit,
    candidates: candidates.filter(
      (candidate) => candidate.rank < shownAtHead || candidate.id === hit || besideCut(candidate),
    ),
    walk,
    counts,
  };
}
