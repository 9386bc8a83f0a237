import type { Way } from './proofs';
import type { Fate } from './token-view';

/** Every English sentence of the seed explorer, in one place. */
export const words = {
  name: 'Quillmate',
  title: 'Seed explorer',
  tagline: 'See each word being drawn',
  /** Of the stories' page. */
  invitation: 'See how each word is drawn, in the seed explorer',
  editor: 'To the stories',
  lead: 'A language model gives each token a number. The settings decide which tokens stay in; a random number u, made of nothing but the seed and the place in the text, picks one of them. That is why the same seed writes the same words.',

  first: {
    prompt: "Once upon a time there was a clockmaker's daughter who",
    seeds: '24, 25, 26, 27',
    temperature: '0.8',
    topK: '40',
    topP: '0.95',
    length: '40',
    logits: '2.0, 1.5, 0.3, -inf, 1.1, -0.7, 0.9, 1.5',
  },

  form: 'What to write',
  fields: {
    source: 'Model',
    prompt: 'Prompt',
    logits: 'Logits, one for each token',
    seeds: 'Seeds',
    temperature: 'Temperature',
    topK: 'Top-k',
    topP: 'Top-p',
    length: 'Tokens each',
  },
  hints: {
    seeds: (most: number): string => `Whole numbers apart by commas, ${most} at most.`,
    logits: 'Numbers apart by commas or space; -inf bans a token. Every row is this one.',
  },
  sources: { pasted: 'Pasted logits' },
  write: 'Write',
  stop: 'Stop',
  more: 'More',

  noLogits: 'There are no logits; paste at least one number.',
  notALogit: (text: string): string => `“${text}” is no logit; use numbers, or -inf for a banned token.`,
  noPrompt: 'The prompt is empty, and this model has no token that opens a text; write a word.',
  noCount: (name: string, most: number): string => `${name}: use a whole number from 1 to ${most}.`,
  noSeeds: (most: number): string => `Use from 1 to ${most} seeds, apart by commas.`,
  problem: 'That does not work:',

  loading: (loaded: number, total: number): string =>
    total > 0 && loaded < total
      ? `Loading the model: ${(loaded / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB.`
      : 'Waking the model.',
  noModel: 'The model could not be loaded.',
  tryAgain: 'Try again',

  texts: 'The texts',
  textsHint: 'Choose a word to see how it was drawn.',
  seed: (seed: string): string => `Seed ${seed}`,
  ended: 'The model ends the text here.',
  waiting: 'Nothing is written yet.',

  token: 'How a word is drawn',
  where: (token: number, count: number, seed: string): string => `Token ${token} of ${count}, seed ${seed}`,
  context: 'Where it stands',
  steps: { back: 'Back', forward: 'Forward', draw: 'Draw one more', jump: 'Token' },
  outcome: (label: string, u: string, from: string, to: string): string =>
    `u = ${u} falls between ${from} and ${to}, and that is the share of ${label}.`,
  greedy: (label: string): string => `At temperature 0 the largest logit is taken, whatever u is: ${label}.`,
  kept: (kept: number, all: number): string => `${kept} of ${all} tokens can be drawn.`,
  instead: (now: string, before: string): string => `Here ${now} would stand in place of ${before}.`,
  sameHere: (label: string): string => `Here ${label} would stand all the same.`,
  changesAt: (token: number): string => `With these settings the text would first change at token ${token}.`,
  changesNowhere: 'With these settings every token of the text would stay.',
  foreseeing: 'Looking at the other tokens.',

  trial: 'What if',
  trialHint: 'Turn u or a setting and see what would be drawn here. Nothing is written.',
  u: 'u, the random number',
  reset: 'As it was drawn',
  adopt: 'Write with these settings',

  candidates: 'The likeliest tokens',
  candidatesSummary: (list: string): string => `Bars: ${list}.`,
  candidate: (label: string, percent: string, fate: string): string => `${label} ${percent}, ${fate}`,
  fates: {
    kept: 'can be drawn',
    topK: 'cut by top-k',
    topP: 'cut by top-p',
    temperature: 'not the largest',
  } satisfies Record<Fate, string>,
  hit: 'drawn',
  walk: 'The walk to u',
  walkHint: 'Kept tokens in the order of their ids, their shares added up: the first whose sum passes u is drawn.',
  dragHint: 'Drag the line, or use the slider below.',
  walkSummary: (steps: number, u: string, label: string): string =>
    `A staircase of ${steps} steps from 0 to 1; the line of u = ${u} meets it at ${label}.`,
  walkAxis: { id: 'token id', sum: 'sum of shares' },
  around: 'Around u',
  columns: {
    rank: 'Rank',
    token: 'Token',
    id: 'Id',
    from: 'From',
    to: 'To',
    before: 'Before cuts',
    fate: 'What becomes of it',
  },

  promise: 'The promise',
  promiseHint:
    'The text that you look at, written again in four other ways. Its chain covers every bit of every row that a token was drawn from.',
  prove: 'Prove it',
  proving: 'Writing it again.',
  ways: {
    original: 'as first written, beside the other seeds',
    regenerated: 'regenerated from its seed',
    resumed: 'stopped half-way, saved as JSON, resumed',
    batch: 'in a batch, as the last of four',
    scalar: 'without SIMD, by the other WebAssembly module',
  } satisfies Record<Way | 'original', string>,
  proofColumns: { way: 'Way', tokens: 'Tokens', chain: 'Chain', verdict: 'Verdict' },
  equal: 'equal',
  differs: 'differs',
  proved: (count: number): string => `All ${count} chains are equal.`,
  refuted: 'Not all chains are equal.',

  uniforms: 'The first thousand random numbers',
  uniformsHint: 'uniform(seed, step) depends on nothing else. Those that drew a token of the text are marked.',
  uniformsOf: 'Of seed',
  step: 'Step',

  noSeed: (text: string): string => `“${text}” is no seed: use a whole number from 0 to 18446744073709551615.`,
} as const;
