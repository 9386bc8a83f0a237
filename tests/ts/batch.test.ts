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
    expect(refused(4, 0.5, {})).toBe('WRONG_LENGTH');
    expect(refused(4, 4e-320, {})).toBe('WRONG_LENGTH');
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

describe('an argument whose getters run other calls', () => {
  /** An array whose last element, when it is read, makes the sampler use and grow its memory. */
  function disturbing(values: readonly number[]): number[] {
    const last = values.length - 1;
    return Object.defineProperty([...values], last, {
      get: () => {
        sampler.sampleBatch(new Float32Array(50_000), 1, { temperature: 0, u: 0.5 });
        sampler.distribution(new Float64Array(100_000).fill(3));
        return values[last];
      },
    });
  }

  test('is read before its place is taken', () => {
    const logits = [0, 5, 5, 0];
    const settings = { temperature: disturbing([0, 0]), topK: disturbing([1, 1]), u: disturbing([0.5, 0.5]) };
    expect([...sampler.sampleBatch(disturbing(logits), 2, settings)]).toEqual([1, 0]);
    expect(sampler.sampleToken(disturbing([0, 9]), { temperature: 0, u: 0 })).toBe(1);
    expect(sampler.emittedDistribution(disturbing([1, 1]), disturbing([1, 3])).distribution).toEqual(
      Float64Array.of(0.5, 0.5),
    );
    const identity = Object.defineProperty({}, 'name', { enumerable: true, get: () => String(disturbing([1])[0]) });
    const model = Object.assign(() => [0], { identity });
    expect(new sampler.Generator(model, disturbing([7, 8])).tokens).toEqual([7, 8]);
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

  test('draws for each with its own seed, given or fresh, as it does alone', async () => {
    const begin = (i: number, seed?: string) => new sampler.Generator(models[i % 3]!, [i], { seed, temperature: 2 });
    const generators = ids.map((i) => begin(i, i % 2 === 0 ? '42' : undefined));
    for (let step = 0; step < 8; ++step) await sampler.stepBatch(generators);
    expect(new Set(generators.map(({ seed }) => seed)).size).toBe(4);
    for (const [i, { seed, tokens }] of generators.entries()) {
      const alone = begin(i, seed);
      await alone.run({ maxTokens: 8 });
      expect(alone.tokens).toEqual(tokens);
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

  test.each([
    ['what is no generator', () => wrong<Generator>({}), 'INVALID_BATCH'],
    ['what only inherits from one', () => Object.create(make(1)) as Generator, 'INVALID_BATCH'],
    ['nothing', () => wrong<Generator>(undefined), 'INVALID_BATCH'],
  ])('refuses %s, and none advances', async (_, element, code) => {
    const good = make(0);
    expect(await rejectionOf(sampler.stepBatch([good, element()]))).toMatchObject({ code, index: 1 });
    expect(good.tokens).toEqual([0]);
  });

  test('a disposed one fails alone', async () => {
    const [good, gone] = [make(0), make(1)];
    gone.dispose();
    const error = await batchErrorOf(sampler.stepBatch([gone, good]));
    expect(error.outcomes).toMatchObject([{ error: { code: 'GENERATOR_DISPOSED' } }, { status: 'fulfilled' }]);
    expect(good.tokens).toHaveLength(2);
  });

  test('refuses one that is there twice, and none advances', async () => {
    const good = make(0);
    const error = await rejectionOf(sampler.stepBatch([good, good]));
    expect(error).toMatchObject({ code: 'INVALID_BATCH', index: 1 });
    expect(good.tokens).toEqual([0]);
  });

  test.each([[null], [5], ['text'], [{ length: 1 }]])('refuses %s as the batch', async (given) => {
    expect((await rejectionOf(sampler.stepBatch(wrong(given)))).code).toBe('INVALID_BATCH');
  });

  test('tells what a model threw even when it is no text', async () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    for (const thrown of [Object.create(null) as object, Symbol('broken'), proxy]) {
      const bad = new sampler.Generator(() => Promise.reject(wrong<Error>(thrown)), []);
      expect(await batchErrorOf(sampler.stepBatch([bad]))).toMatchObject({ index: 0 });
    }
  });
});
