import { loadSampler } from 'quillmate-sampler';
import {
  binaryLaws,
  exactLaws,
  loadExact,
  propose,
  Verifier,
  type Block,
  type Categorical,
  type LawModel,
  type Laws,
  type RandomStreams,
  type Weights,
} from 'quillmate-sampler/exact';
import { beforeEach, describe, expect, test } from 'vitest';
import blocksText from '../fixtures/blocks.json?raw';
import { parse } from './fixtures.js';
import { refusalOf, rejectionOf, wrong } from './refusal.js';

const [exact, sampler] = await Promise.all([loadExact(), loadSampler()]);

interface HashedModel {
  seed: string;
  vocabSize: number;
  scale: number;
  noRepeat: boolean;
  topK: number;
}
interface Round {
  proposals: number[];
  tokens: number[];
  accepted: number;
  rejected: boolean;
  stopped: boolean;
}
interface BlockCase {
  name: string;
  seed: string;
  requestId: string;
  generation: string;
  prompt: number[];
  stopIds: number[];
  depths: number[];
  draft: HashedModel | { rows: number[][] };
  target: HashedModel | { rows: number[][] };
  fractions: Round[];
  uniform: Round[];
}
const { cases } = parse<{ cases: BlockCase[] }>(blocksText);

/** See tests/fixtures/README.md. */
function weightsOf(model: BlockCase['draft'], text: readonly number[]): number[] {
  if ('rows' in model) return model.rows[text.length % model.rows.length]!;
  const { seed, vocabSize, scale, noRepeat, topK } = model;
  const number = text.reduce((hash, token) => (Math.imul(31, hash) + token + 1) >>> 0, 0);
  const row = Array.from({ length: vocabSize }, (_, i) => Math.floor(sampler.uniform(seed, i, number) * 4) * scale);
  row[number % vocabSize]! += scale;
  const last = text.at(-1);
  if (noRepeat && last !== undefined && row.some((weight, i) => weight > 0 && i !== last)) row[last] = 0;
  if (topK === 0) return row;
  const order = row.map((_, i) => i).sort((a, b) => row[b]! - row[a]! || a - b);
  return row.map((weight, i) => (order.indexOf(i) < topK ? weight : 0));
}

/** As fractions, the tokens without weight left out: a draft is as sparse as can be. */
function categorical(weights: readonly number[]): Categorical {
  const ids = weights.map((_, id) => id).filter((id) => weights[id]! > 0);
  return new exact.Categorical(
    weights.length,
    ids,
    ids.map((id) => weights[id]!),
  );
}

async function roundsOf<Law>(laws: Laws<Law>, toLaw: (weights: number[]) => Law, given: BlockCase): Promise<Round[]> {
  const { seed, requestId, generation, prompt, stopIds, depths } = given;
  const owner = { requestId, generation };
  const verifier = new Verifier(laws, owner, prompt, { contextId: 'models', stopIds });
  // One at once, one as a promise.
  const draft: LawModel<Law> = async (text) => Promise.resolve(toLaw(weightsOf(given.draft, text)));
  const target: LawModel<Law> = (text) => toLaw(weightsOf(given.target, text));
  const rounds: Round[] = [];
  let text = prompt;
  for (const [round, depth] of depths.entries()) {
    if (verifier.stopped) break;
    const streams = new exact.RandomStreams(seed, owner, round);
    const block = await propose(laws, draft, verifier.prefix, streams, { depth, contextId: 'models', stopIds });
    const { tokens, acceptedDrafts, rejected, stopped } = await verifier.verify(block, streams, target);
    const proposals = block.proposals.map(({ token }) => token);
    rounds.push({ proposals, tokens: [...tokens], accepted: acceptedDrafts, rejected, stopped });
    text = [...text, ...tokens];
    expect(verifier.prefix).toEqual(text);
  }
  return rounds;
}

describe.each(cases)('blocks with $name', (given) => {
  test('of fractions are the golden ones', async () => {
    expect(await roundsOf(exactLaws, categorical, given)).toEqual(given.fractions);
  });

  test('of doubles are the golden ones', async () => {
    expect(await roundsOf(binaryLaws(sampler), (weights): Weights => weights, given)).toEqual(given.uniform);
  });
});

const owner = { requestId: 'request', generation: 1 };
const streamsOf = (round: number, of = owner) => new exact.RandomStreams(5, of, round);
const options = { contextId: 'context', stopIds: [2] };

describe('a verifier', () => {
  const laws = binaryLaws(sampler);
  const model: LawModel<Weights> = () => Promise.resolve([1, 2, 3]);
  const q = [1, 2, 3];
  const streams = streamsOf(3);
  const block: Block<Weights> = {
    owner: streams.owner,
    round: 3n,
    prefix: [0],
    contextId: 'context',
    fixedDepth: 2,
    proposals: [
      { token: 1, q },
      { token: 0, q },
    ],
    stopIds: [2],
  };
  let verifier: Verifier<Weights>;
  beforeEach(() => {
    verifier = new Verifier(laws, owner, [0], options);
  });

  test.each<[string, Partial<Record<keyof Block<Weights>, unknown>>, string, RandomStreams?]>([
    ['of another generation', { owner: { ...streams.owner, generation: 2n } }, 'FOREIGN_BLOCK'],
    ['of another request', { owner: { ...streams.owner, requestId: 'other' } }, 'FOREIGN_BLOCK'],
    ['without an owner', { owner: undefined }, 'FOREIGN_BLOCK'],
    ['with the random numbers of another', {}, 'FOREIGN_BLOCK', streamsOf(3, { requestId: 'other', generation: 1 })],
    ['with no random numbers', {}, 'FOREIGN_BLOCK', wrong<RandomStreams>(null)],
    ['with the random numbers of another round', {}, 'STALE_BLOCK', streamsOf(4)],
    ['of another round', { round: 4n }, 'STALE_BLOCK'],
    ['for another prefix', { prefix: [0, 0] }, 'STALE_BLOCK'],
    ['for another context', { contextId: 'another' }, 'STALE_BLOCK'],
    ['with other stop ids', { stopIds: [] }, 'STALE_BLOCK'],
    ['of depth 0', { fixedDepth: 0 }, 'INVALID_BLOCK'],
    ['that is too long', { fixedDepth: 1 }, 'INVALID_BLOCK'],
    ['that is too short', { fixedDepth: 3 }, 'INVALID_BLOCK'],
    ['of depth 6', { fixedDepth: 6 }, 'INVALID_BLOCK'],
    ['of half a depth', { fixedDepth: 2.5 }, 'INVALID_BLOCK'],
    ['without tokens', { proposals: [] }, 'INVALID_BLOCK'],
    ['that is no list', { proposals: null }, 'INVALID_BLOCK'],
    [
      'with a token without mass',
      {
        proposals: [
          { token: 1, q },
          { token: 0, q: [0, 2, 3] },
        ],
      },
      'DRAFT_WITHOUT_MASS',
    ],
    [
      'with a token outside the vocabulary',
      {
        proposals: [
          { token: 1, q },
          { token: 7, q },
        ],
      },
      'DRAFT_WITHOUT_MASS',
    ],
    [
      'of two vocabularies',
      {
        proposals: [
          { token: 1, q },
          { token: 0, q: [1, 2] },
        ],
      },
      'WRONG_LENGTH',
    ],
    [
      'with a law that is none',
      {
        proposals: [
          { token: 1, q },
          { token: 0, q: 'q' },
        ],
      },
      'MODEL_FAILED',
    ],
    [
      'for a vocabulary without the stop ids',
      {
        proposals: [
          { token: 1, q: [1, 2] },
          { token: 0, q: [1, 2] },
        ],
      },
      'INVALID_TOKEN',
    ],
  ])('refuses a block %s and stays as it was', async (_, change, code, random = streams) => {
    const given = wrong<Block<Weights>>({ ...block, ...change });
    expect((await rejectionOf(verifier.verify(given, random, model))).code).toBe(code);
    expect(verifier).toMatchObject({ prefix: [0], failed: false, stopped: false });
    await verifier.verify(block, streams, model); // and takes the right one
  });

  test('refuses a target that is no function and stays as it was', async () => {
    expect((await rejectionOf(verifier.verify(block, streams, wrong(null)))).code).toBe('INVALID_MODEL');
    expect(verifier.failed).toBe(false);
  });

  test('tells by name what is no object', async () => {
    expect(await rejectionOf(verifier.verify(wrong(5), streams, model))).toMatchObject({
      code: 'INVALID_BLOCK',
      message: 'the block is 5; propose another',
    });
    expect(refusalOf(() => new Verifier(laws, owner, [], wrong('c')))).toMatchObject({
      code: 'INVALID_OWNER',
      message: `the options are "c"; pass an object, such as { contextId: 'a' }`,
    });
    expect(await rejectionOf(propose(laws, model, [], streams, wrong(3)))).toMatchObject({
      code: 'INVALID_DEPTH',
      message: "the options are 3; pass an object, such as { depth: 3, contextId: 'a' }",
    });
    expect(refusalOf(() => new Verifier(laws, wrong('a'), [], options))).toMatchObject({
      code: 'INVALID_OWNER',
      message: `the owner is "a"; pass an object, such as { requestId: 'a', generation: 0 }`,
    });
  });

  test('uses a round once', async () => {
    await verifier.verify(block, streams, () => [1, 1, 0]);
    const again = verifier.verify({ ...block, prefix: verifier.prefix }, streams, model);
    expect((await rejectionOf(again)).code).toBe('STALE_BLOCK');
  });

  test.each<[string, LawModel<Weights>]>([
    [
      'throws',
      () => {
        throw new RangeError('out of memory');
      },
    ],
    ['rejects', () => Promise.reject(new RangeError('out of memory'))],
    ['gives no law', () => wrong('weights')],
    ['gives a law of another vocabulary', () => [1, 1]],
    ['gives a law without mass', () => [0, 0, 0]],
    ['gives NaN', () => [1, NaN, 1]],
  ])('that a target %s to needs a reset, and goes on with its text', async (_, broken) => {
    // Only for the last token that is asked for: what was accepted before it is not emitted.
    const late: LawModel<Weights> = (text) => (text.length === 1 ? q : broken(text));
    await expect(verifier.verify(block, streams, late)).rejects.toThrow();
    expect(verifier).toMatchObject({ prefix: [0], failed: true, stopped: false });
    expect((await rejectionOf(verifier.verify(block, streams, model))).code).toBe('VERIFIER_FAILED');
    verifier.reset();
    const usedUp = await rejectionOf(verifier.verify(block, streams, model));
    expect(usedUp).toMatchObject({ code: 'STALE_BLOCK', detail: 'round' });
    const { tokens } = await verifier.verify({ ...block, round: 4n }, streamsOf(4), model);
    expect(verifier.prefix).toEqual([0, ...tokens]);
  });

  test('checks one block at a time; a reset gives up the one under way', async () => {
    let answer: (law: Weights) => void = () => undefined;
    const waiting = verifier.verify(block, streams, () => new Promise((resolve) => (answer = resolve)));
    const second = verifier.verify({ ...block, round: 4n }, streamsOf(4), model);
    expect((await rejectionOf(second)).code).toBe('VERIFIER_FAILED');
    verifier.reset();
    const { tokens } = await verifier.verify({ ...block, round: 5n }, streamsOf(5), model);
    answer(q);
    expect((await rejectionOf(waiting)).code).toBe('VERIFIER_FAILED');
    expect(verifier).toMatchObject({ prefix: [0, ...tokens], failed: false });
  });

  test('takes nothing after a stop id', async () => {
    const stop: LawModel<Weights> = () => [0, 0, 1];
    const stopping = await propose(laws, stop, [0], streams, { ...options, depth: 5 });
    expect(stopping.proposals).toHaveLength(1);
    const result = await verifier.verify(stopping, streams, stop);
    expect(result).toEqual({ tokens: [2], acceptedDrafts: 1, rejected: false, stopped: true });
    expect((await rejectionOf(verifier.verify(block, streams, model))).code).toBe('VERIFIER_STOPPED');
  });

  test('does not see what becomes of rows and lists that it was given', async () => {
    const row = [3, 1, 2];
    const shared: LawModel<Weights> = () => row;
    const made = await propose(laws, shared, [0], streams, { ...options, depth: 1 });
    row.fill(0);
    expect(made.proposals[0]!.q).toEqual([3, 1, 2]);
    const proposals = [...made.proposals];
    const verifying = verifier.verify({ ...made, proposals }, streams, model);
    proposals.length = 0;
    expect((await verifying).tokens.length).toBeGreaterThan(0);
  });

  test('refuses an owner, a context and tokens that are none', () => {
    const code = (...given: unknown[]) =>
      refusalOf(() => new Verifier(...wrong<ConstructorParameters<typeof Verifier<Weights>>>([laws, ...given]))).code;
    expect(code({ requestId: '', generation: 0 }, [], options)).toBe('INVALID_OWNER');
    expect(code({ requestId: '\ud800a', generation: 0 }, [], options)).toBe('INVALID_OWNER'); // has no UTF-8
    expect(code(owner, [], { contextId: '' })).toBe('INVALID_OWNER');
    expect(code(owner, [-1], options)).toBe('INVALID_TOKEN');
    expect(code(owner, [], { contextId: 'c', stopIds: [0.5] })).toBe('INVALID_TOKEN');
  });
});

describe('propose', () => {
  const laws = binaryLaws(sampler);
  test.each([
    ['depth 0', [], { depth: 0 }, 'INVALID_DEPTH'],
    ['depth 6', [], { depth: 6 }, 'INVALID_DEPTH'],
    ['no depth', [], {}, 'INVALID_DEPTH'],
    ['no context', [], { depth: 1, contextId: '' }, 'INVALID_OWNER'],
    ['a prefix outside the vocabulary', [2], { depth: 1 }, 'INVALID_TOKEN'],
    ['a prefix that is no list', null, { depth: 1 }, 'INVALID_TOKEN'],
    ['a stop id outside the vocabulary', [], { depth: 1, stopIds: [2] }, 'INVALID_TOKEN'],
  ])('refuses %s', async (_, prefix, given, code) => {
    const proposal = propose(laws, () => [1, 2], wrong(prefix), streamsOf(0), wrong({ contextId: 'c', ...given }));
    expect((await rejectionOf(proposal)).code).toBe(code);
  });

  test('asks no model before the depth and the rest are checked', async () => {
    const model = () => {
      throw new Error('asked');
    };
    expect((await rejectionOf(propose(laws, model, [], streamsOf(0), { depth: 9, contextId: 'c' }))).code).toBe('INVALID_DEPTH'); // prettier-ignore
    expect((await rejectionOf(propose(laws, model, [], wrong(null), { depth: 1, contextId: 'c' }))).code).toBe('INVALID_OWNER'); // prettier-ignore
    expect((await rejectionOf(propose(laws, wrong(null), [], streamsOf(0), { depth: 1, contextId: 'c' }))).code).toBe('INVALID_MODEL'); // prettier-ignore
  });

  test('gives the same block again after its model failed', async () => {
    let calls = 0;
    const failing: LawModel<Weights> = () => (++calls === 2 ? Promise.reject(new RangeError('lost')) : [1, 2, 4]);
    const once = () => propose(laws, failing, [0], streamsOf(1), { depth: 3, contextId: 'c' });
    await expect(once()).rejects.toThrow('lost');
    expect(await once()).toEqual(await propose(laws, () => [1, 2, 4], [0], streamsOf(1), { depth: 3, contextId: 'c' }));
  });
});

test('a law that was disposed is refused before anything is changed', async () => {
  const law = categorical([1, 2]);
  const streams = streamsOf(0);
  const block = await propose(exactLaws, () => law, [], streams, { depth: 1, contextId: 'c' });
  const verifier = new Verifier(exactLaws, owner, [], { contextId: 'c' });
  law.dispose();
  expect((await rejectionOf(verifier.verify(block, streams, () => categorical([1, 2])))).code).toBe('LAW_DISPOSED');
  expect(verifier.failed).toBe(false);
});
