import { loadSampler } from 'quillmate-sampler';
import { loadExact, SamplerError, type Weight } from 'quillmate-sampler/exact';
import { describe, expect, test } from 'vitest';
import exactText from '../fixtures/exact.json?raw';
import { parse } from './fixtures.js';
import { refusalOf, wrong } from './refusal.js';

const [exact, sampler] = await Promise.all([loadExact(), loadSampler()]);

interface LawCase {
  name: string;
  vocabSize: number;
  ids: number[];
  weights: string[];
  sorted: number[];
  tickets: string[];
  prob: string[];
  samples: number[];
  topk: string[];
  fp32?: string[];
}
interface PairCase {
  p: string[];
  q: string[];
  acceptance: string[];
  residual: string[];
}
interface StreamCase {
  seed: string;
  requestId: string;
  generation: string;
  round: string;
  key: string;
  uniform: [purpose: number, position: number, u: number][];
  below: [purpose: number, position: number, bound: string, number: string][];
}
const golden = parse<{ laws: LawCase[]; pairs: PairCase[]; streams: StreamCase[] }>(exactText);

type Law = ReturnType<typeof exact.Categorical.dense>;
const probabilities = (law: Law) => Array.from({ length: law.vocabSize }, (_, id) => String(law.prob(id)));
const streams = new exact.RandomStreams(3, { requestId: 'laws', generation: 0 }, 0);

describe('a law', () => {
  test.each(golden.laws)('$name', ({ vocabSize, ids, weights, sorted, tickets, prob, samples, topk, fp32 }) => {
    using law = new exact.Categorical(vocabSize, ids, weights);
    expect(law.vocabSize).toBe(vocabSize);
    expect(law.ids).toEqual(sorted);
    expect(law.tickets.map(String)).toEqual(tickets);
    expect(probabilities(law)).toEqual(prob);
    expect(samples.map((_, position) => law.sample(streams.proposal, position))).toEqual(samples);
    expect(probabilities(law.sparseTopk(Math.max(1, Math.floor(vocabSize / 2))))).toEqual(topk);
    if (fp32) expect(probabilities(exact.fp32Weights(vocabSize, ids, weights))).toEqual(fp32);
  });

  test('takes numbers as the doubles that they are, bigints, text and fractions', () => {
    const law = exact.Categorical.dense([0.5, 1n, '1/4', new exact.Categorical(2, [0, 1], [1, 3]).prob(0)]);
    expect(probabilities(law)).toEqual(['1/4', '1/2', '1/8', '1/8']);
    const tenth = exact.Categorical.dense([0.1, '0.1']).prob(0);
    expect(tenth.numerator * 2n > tenth.denominator).toBe(true); // the double is a little more than a tenth
    expect(String(exact.Categorical.dense([5e-324, 1e308]).prob(0)).length).toBeGreaterThan(600);
  });

  test('can be masked', () => {
    const law = exact.Categorical.dense([1, 2, 3]);
    expect(probabilities(law.masked([true, false, true]))).toEqual(['1/4', '0/1', '3/4']);
  });
});

test.each(golden.pairs)('acceptance and residual of $p and $q', ({ p, q, acceptance, residual }) => {
  const [target, draft] = [exact.Categorical.dense(p), exact.Categorical.dense(q)];
  expect(probabilities(exact.residual(target, draft))).toEqual(residual);
  acceptance.forEach((ratio, token) => {
    const accept = () => exact.acceptance(target, draft, token);
    if (ratio === '') expect(refusalOf(accept).code).toBe('DRAFT_WITHOUT_MASS');
    else expect(String(accept())).toBe(ratio);
  });
});

test.each(golden.streams)(
  'the streams of $requestId',
  ({ seed, requestId, generation, round, key, uniform, below }) => {
    const owned = new exact.RandomStreams(seed, { requestId, generation }, round);
    expect(String(owned.key)).toBe(key);
    const of = [owned.proposal, owned.acceptance, owned.correction];
    for (const [purpose, position, u] of uniform) {
      expect(of[purpose - 1]!.uniform(position)).toBe(u);
      expect(sampler.uniform(owned.key, position, purpose)).toBe(u);
    }
    for (const [purpose, position, bound, number] of below) {
      expect(String(of[purpose - 1]!.below(BigInt(bound), position))).toBe(number);
    }
  },
);

test('a refused vocabulary or mask tells what is to be passed', () => {
  expect(refusalOf(() => new exact.Categorical(0, [], [])).message).toBe(
    'a vocabulary cannot have 0 tokens; use a whole number from 1',
  );
  expect(refusalOf(() => exact.Categorical.dense([1]).masked(wrong([1]))).message).toBe(
    'the mask is no list of booleans; pass one for each token',
  );
});

describe('what is refused', () => {
  const law = exact.Categorical.dense([1, 2, 0]);
  const other = exact.Categorical.dense([1, 2]);
  const make = (size: unknown, ids: unknown, weights: unknown) => () =>
    new exact.Categorical(wrong(size), wrong(ids), wrong<Weight[]>(weights));
  test.each([
    ['another number of weights', make(3, [0, 1], [1]), 'WRONG_LENGTH'],
    ['no vocabulary', make(0, [0], [1]), 'WRONG_LENGTH'],
    ['half a token', make(1.5, [0], [1]), 'WRONG_LENGTH'],
    ['no tokens', make(3, [], []), 'ZERO_TOTAL_WEIGHT'],
    ['nothing but zeros', make(3, [0, 2], [0, '0/5']), 'ZERO_TOTAL_WEIGHT'],
    ['an id past the end', make(3, [3], [1]), 'INVALID_TOKEN'],
    ['an id below 0', make(3, [-1], [1]), 'INVALID_TOKEN'],
    ['an id beyond 32 bits', make(3, [2 ** 32], [1]), 'INVALID_TOKEN'],
    ['an id twice', make(3, [1, 1], [1, 0]), 'DUPLICATE_TOKEN'],
    ['ids that are no list', make(3, null, [1]), 'INVALID_TOKEN'],
    ['a negative weight', make(3, [0, 1], [1, -1]), 'INVALID_WEIGHT'],
    ['a weight that is NaN', make(3, [0], [NaN]), 'INVALID_WEIGHT'],
    ['an infinite weight', make(3, [0], [Infinity]), 'INVALID_WEIGHT'],
    ['text that is no number', make(3, [0], ['1/0']), 'INVALID_WEIGHT'],
    ['null as a weight', make(3, [0], [null]), 'INVALID_WEIGHT'],
    ['a float32 out of range', () => exact.fp32Weights(1, [0], [1e39]), 'INVALID_WEIGHT'],
    ['a token of no vocabulary', () => law.prob(3), 'INVALID_TOKEN'],
    ['a mask that is too short', () => law.masked([true]), 'WRONG_LENGTH'],
    ['a mask of numbers', () => law.masked(wrong([1, 1, 1])), 'WRONG_LENGTH'],
    ['a mask that leaves nothing', () => law.masked([false, false, true]), 'ZERO_TOTAL_WEIGHT'],
    ['top-k 0', () => law.sparseTopk(0), 'INVALID_SUPPORT_SIZE'],
    ['top-k beyond the vocabulary', () => law.sparseTopk(4), 'INVALID_SUPPORT_SIZE'],
    ['two vocabularies', () => exact.acceptance(law, other, 0), 'WRONG_LENGTH'],
    ['a residual of two vocabularies', () => exact.residual(law, other), 'WRONG_LENGTH'],
    ['a residual of nothing', () => exact.residual(law, law), 'ZERO_TOTAL_WEIGHT'],
    [
      'a request without a name',
      () => new exact.RandomStreams(1, { requestId: '', generation: 0 }, 0),
      'INVALID_OWNER',
    ],
    ['a negative generation', () => new exact.RandomStreams(1, { requestId: 'a', generation: -1 }, 0), 'INVALID_OWNER'],
    ['a negative round', () => new exact.RandomStreams(1, { requestId: 'a', generation: 0 }, -1), 'INVALID_OWNER'],
    ['a seed of text', () => new exact.RandomStreams('x', { requestId: 'a', generation: 0 }, 0), 'INVALID_SEED'],
    ['no owner', () => new exact.RandomStreams(1, wrong(null), 0), 'INVALID_OWNER'],
    ['a position below 0', () => law.sample(streams.proposal, -1), 'INVALID_STEP'],
    ['a bound of 0', () => streams.proposal.below(0n, 0), 'INVALID_WEIGHT'],
  ])('%s', (_, call, code) => {
    const error = refusalOf(call);
    expect(error).toBeInstanceOf(SamplerError);
    expect(error.code).toBe(code);
  });

  test('names the element', () => {
    expect(refusalOf(make(3, [0, 1], [1, '-2/3']))).toMatchObject({ index: 1, value: '-2/3' });
    expect(refusalOf(make(3, [2, 0, 2], [1, 1, 1]))).toMatchObject({ index: 2, value: '2' });
  });
});

test('a law that was disposed says so', () => {
  const law = exact.Categorical.dense([1]);
  law.dispose();
  law.dispose();
  const { code, message } = refusalOf(() => law.prob(0));
  expect(code).toBe('LAW_DISPOSED');
  expect(message).toMatch(/^the law was disposed/);
});

test('the oracle is loaded once', async () => {
  expect(await loadExact()).toBe(exact);
});
