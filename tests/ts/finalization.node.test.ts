import type { Sampler } from 'quillmate-sampler';
import type * as ExactEntry from 'quillmate-sampler/exact';
import { beforeAll, expect, test, vi } from 'vitest';
import { countFinalizations, finalizedAfterCollection } from './finalizations.js';

let sampler: Sampler;
let exact: ExactEntry.Exact;
let blocks: typeof ExactEntry;

beforeAll(async () => {
  countFinalizations();
  const { loadSampler } = await import('quillmate-sampler');
  sampler = await loadSampler();
  blocks = await import('quillmate-sampler/exact');
  exact = await blocks.loadExact();
  vi.unstubAllGlobals();
}, 30_000);

test('a forgotten generator or row is freed by the garbage collector, once', async () => {
  (() => {
    for (let i = 0; i < 100; ++i) new sampler.Generator(() => [0], []);
    for (let i = 0; i < 100; ++i) new sampler.LogitsRow(4);
  })();
  expect(await finalizedAfterCollection(200)).toBe(200);
  expect(await finalizedAfterCollection(1)).toBe(0);
});

test('a row is kept by its view', async () => {
  const views = Array.from({ length: 10 }, () => new sampler.LogitsRow(4).view);
  expect(await finalizedAfterCollection(1)).toBe(0);
  expect(views.splice(0)).toHaveLength(10);
  expect(await finalizedAfterCollection(10)).toBe(10);
});

test('a disposed one is left alone', async () => {
  (() => {
    for (let i = 0; i < 100; ++i) new sampler.Generator(() => [0], []).dispose();
    for (let i = 0; i < 100; ++i) new sampler.LogitsRow(4).dispose();
  })();
  expect(await finalizedAfterCollection(1)).toBe(0);
});

test('one whose step was under way when it was disposed leaves nothing behind', async () => {
  const steps = Array.from({ length: 100 }, () => {
    const generator = new sampler.Generator(() => Promise.resolve([0]), []);
    const step = generator.step();
    generator.dispose();
    return step;
  });
  expect((await Promise.allSettled(steps)).every(({ status }) => status === 'rejected')).toBe(true);
  expect(await finalizedAfterCollection(1)).toBe(0);
});

test('a forgotten law is freed by the garbage collector, once; a disposed one is left alone', async () => {
  (() => {
    for (let i = 0; i < 100; ++i) exact.Categorical.dense([1, 2, 3]).masked([true, false, true]);
    for (let i = 0; i < 100; ++i) exact.Categorical.dense([1, 2, 3]).dispose();
  })();
  expect(await finalizedAfterCollection(200)).toBe(200);
  expect(await finalizedAfterCollection(1)).toBe(0);
});

test('a block leaves nothing behind but what its models made', async () => {
  const { exactLaws, propose, Verifier } = blocks;
  const owner = { requestId: 'request', generation: 0 };
  const context = { contextId: 'context' };
  const [p, q] = [exact.Categorical.dense([0, 1, 2]), exact.Categorical.dense([3, 0, 0])];
  const verifier = new Verifier(exactLaws, owner, [], context);
  for (let round = 0; round < 20; ++round) {
    const streams = new exact.RandomStreams(1, owner, round);
    const block = await propose(exactLaws, () => q, verifier.prefix, streams, { ...context, depth: 2 });
    expect(await verifier.verify(block, streams, () => p)).toMatchObject({ rejected: true });
  }
  expect(await finalizedAfterCollection(1)).toBe(0);
  expect(p.vocabSize + q.vocabSize).toBe(6); // kept until here
});
