import { loadSampler, StepBatchError, type Generator, type Model } from 'quillmate-sampler';
import { describe, expect, test } from 'vitest';
import { toyModel } from './fixtures.js';
import { refusalOf, rejectionOf, wrong } from './refusal.js';

const sampler = await loadSampler();

async function batchErrorOf(promise: Promise<unknown>): Promise<StepBatchError> {
  const error = await rejectionOf(promise);
  if (error instanceof StepBatchError) return error;
  throw error;
}

describe('sampleBatch', () => {
  const vocabSize = 33;
  const count = 12;
  const rows = Array.from({ length: count }, (_, row) =>
    Float32Array.from({ length: vocabSize }, (_, i) => sampler.uniform(row, i) * 10),
  );
  const draws = rows.map((_, row) => ({
    temperature: row % 4,
    topK: (row % 3) * 5,
    topP: row % 2 ? 0.9 : 1,
    u: sampler.uniform(row, 99),
  }));
  const singles = rows.map((row, i) => sampler.sampleToken(row, draws[i]!));

  function sampleInOrder(order: readonly number[]): number[] {
    const logits = Float32Array.from(order.flatMap((i) => [...rows[i]!]));
    const pick = (name: 'temperature' | 'topK' | 'topP' | 'u') => order.map((i) => draws[i]![name]);
    const settings = { temperature: pick('temperature'), topK: pick('topK'), topP: pick('topP'), u: pick('u') };
    return [...sampler.sampleBatch(logits, vocabSize, settings)];
  }

  test('gives each row the token that it gets alone, in every order and company', () => {
    const forward = rows.map((_, i) => i);
    const orders = [forward, forward.toReversed(), [3, 3, 7], [11], [5, 0, 5, 1], [...forward, ...forward]];
    for (const order of orders) expect(sampleInOrder(order)).toEqual(order.map((i) => singles[i]));
  });

  test('takes one number for all rows, and typed arrays', () => {
    const logits = [...rows[0]!, ...rows[1]!];
    const single = (row: number) => sampler.sampleToken(rows[row]!, { temperature: 2, topK: 7, u: 0.4 });
    const expected = Int32Array.of(single(0), single(1));
    expect(sampler.sampleBatch(logits, vocabSize, { temperature: 2, topK: 7, u: 0.4 })).toEqual(expected);
    const columns = { temperature: Float32Array.of(2, 2), topK: Int32Array.of(7, 7), u: Float64Array.of(0.4, 0.4) };
    expect(sampler.sampleBatch(logits, vocabSize, columns)).toEqual(expected);
  });

  test('refuses lengths that do not agree', () => {
    const refused = (length: number, size: unknown, settings: object) =>
      refusalOf(() => sampler.sampleBatch(new Float32Array(length), wrong(size), wrong({ u: 0, ...settings }))).code;
    expect(refused(5, 2, {})).toBe('WRONG_LENGTH');
    expect(refused(4, 0, {})).toBe('WRONG_LENGTH');
    expect(refused(4, -2, {})).toBe('WRONG_LENGTH');
    expect(refused(4, NaN, {})).toBe('WRONG_LENGTH');
    expect(refused(4, '2', {})).toBe('WRONG_LENGTH');
    for (const name of ['temperature', 'topK', 'topP', 'u'])
      expect(refused(4, 2, { [name]: [0] })).toBe('WRONG_LENGTH');
    expect(refused(0, 2, {})).toBe('EMPTY_ROW');
    const { message } = refusalOf(() => sampler.sampleBatch([1, 2, 3], 2, { u: 0 }));
    expect(message).toContain('3 logits are no whole number of rows of 2');
  });

  test('refuses a wrong setting with its row', () => {
    const error = refusalOf(() => sampler.sampleBatch([1, 2, 3, 4], 2, { temperature: wrong([1, '1']), u: 0 }));
    expect(error).toMatchObject({ code: 'INVALID_TEMPERATURE', row: 1, value: '"1"' });
    expect(error.message).toMatch(/^row 1: /);
    expect(refusalOf(() => sampler.sampleBatch([1, 2, 3, 4], 2, { topK: [1, 1.5], u: 0 })).row).toBe(1);
    expect(refusalOf(() => sampler.sampleBatch([1, 2, 3, 4], 2, { u: wrong('0') })).code).toBe('INVALID_U');
  });
});

describe('stepBatch', () => {
  const models: Model[] = [
    toyModel(40, '1'),
    (tokens) => Promise.resolve(toyModel(50, '2')(tokens)),
    async (tokens) => {
      for (let turn = 0; turn < 5; ++turn) await Promise.resolve();
      return toyModel(60, '3')(tokens);
    },
  ];
  const make = (i: number) => new sampler.Generator(models[i % 3]!, [i], { seed: i, temperature: 1 + i / 10 });
  const ids = [0, 1, 2, 3, 4, 5];

  async function alone(i: number, steps: number): Promise<number[]> {
    const generator = make(i);
    for (let step = 0; step < steps; ++step) await generator.step();
    return generator.tokens;
  }

  test('gives each generator the tokens that it draws alone, in every order and company', async () => {
    for (const order of [ids, ids.toReversed(), [2], [4, 1]]) {
      const generators = order.map(make);
      const columns: number[][] = [];
      for (let step = 0; step < 8; ++step) columns.push(await sampler.stepBatch(generators));
      const texts = order.map((id, i) => [id, ...columns.map((tokens) => tokens[i])]);
      expect(texts).toEqual(await Promise.all(order.map((id) => alone(id, 8))));
    }
  });

  test('does not mind who joins later', async () => {
    const [first, second] = [make(0), make(1)];
    await sampler.stepBatch([first]);
    await sampler.stepBatch([first]);
    await sampler.stepBatch([second, first]);
    expect([first.tokens, second.tokens]).toEqual([await alone(0, 3), await alone(1, 1)]);
  });

  test('lets a model use one array for all its rows', async () => {
    const shared = new Float64Array(40);
    const model: Model = (tokens) => {
      shared.set(toyModel(40, '1')(tokens));
      return shared;
    };
    const generators = [0, 3].map((i) => new sampler.Generator(model, [i], { seed: i, temperature: 1 + i / 10 }));
    await sampler.stepBatch(generators);
    expect(generators.map(({ tokens }) => tokens)).toEqual([await alone(0, 1), await alone(3, 1)]);
  });

  test('runs the models concurrently', async () => {
    let waiting = 0;
    let most = 0;
    const model: Model = async () => {
      most = Math.max(most, ++waiting);
      await Promise.resolve();
      --waiting;
      return [1, 2];
    };
    await sampler.stepBatch(ids.map((seed) => new sampler.Generator(model, [], { seed })));
    expect(most).toBe(ids.length);
  });

  test('advances the others when a row fails, and says how each fared', async () => {
    const fault = new Error('out of memory');
    const bad = [
      () => {
        throw fault;
      },
      () => [NaN],
    ].map((model) => new sampler.Generator(model, [0], { seed: 1 }));
    const good = [make(0), make(1)];
    const before = bad.map((generator) => generator.state());
    const error = await batchErrorOf(sampler.stepBatch([bad[0]!, good[0]!, bad[1]!, good[1]!]));
    expect(error).toMatchObject({ name: 'StepBatchError', code: 'BATCH_STEP_FAILED', index: 0, cause: fault });
    expect(error.message).toContain('out of memory');
    expect(error.outcomes).toEqual([
      { status: 'rejected', error: fault },
      { status: 'fulfilled', token: good[0]!.tokens.at(-1) },
      { status: 'rejected', error: expect.objectContaining({ code: 'NAN_LOGIT', index: 0 }) as unknown },
      { status: 'fulfilled', token: good[1]!.tokens.at(-1) },
    ]);
    expect(good.map(({ tokens }) => tokens)).toEqual([await alone(0, 1), await alone(1, 1)]);
    expect(bad.map((generator) => generator.state())).toEqual(before);
  });

  test('of no generators draws no tokens', async () => {
    expect(await sampler.stepBatch([])).toEqual([]);
  });

  test('refuses what is no generator, beside the others', async () => {
    const good = make(0);
    const error = await batchErrorOf(sampler.stepBatch([good, wrong<Generator>({})]));
    expect(error.outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });
});
