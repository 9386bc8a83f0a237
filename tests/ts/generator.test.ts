import { loadSampler, type GeneratorState, type LogitsInput, type Model } from 'quillmate-sampler';
import { describe, expect, test, vi } from 'vitest';
import { toyModel } from './fixtures.js';
import { refusalOf, rejectionOf, wrong } from './refusal.js';

const sampler = await loadSampler();
const model = toyModel(30, '5');
const options = { seed: 7, temperature: 0.9, topK: 12, topP: 0.95 };

interface Waiting {
  resolve: (row: LogitsInput) => void;
  reject: (reason: unknown) => void;
}

/** A model whose rows the test hands over. */
function heldModel(): { held: Model; next: () => Waiting | undefined } {
  const waiting: Waiting[] = [];
  return {
    held: () => new Promise((resolve, reject) => waiting.push({ resolve, reject })),
    next: () => waiting.shift(),
  };
}

describe('a generator', () => {
  test('tells its seed, settings and tokens', async () => {
    const generator = new sampler.Generator(model, Int32Array.of(3, 4), options);
    const token = await generator.step();
    expect(generator.seed).toBe('7');
    expect(generator.settings).toEqual({ temperature: 0.9, topK: 12, topP: 0.95 });
    expect(generator.tokens).toEqual([3, 4, token]);
  });

  test('has default settings', () => {
    expect(new sampler.Generator(model, []).settings).toEqual({ temperature: 1, topK: 0, topP: 1 });
  });

  test('draws each token with the uniform number of its step', async () => {
    const generator = new sampler.Generator(model, [3], options);
    for (let step = 0; step < 10; ++step) {
      const u = sampler.uniform(7, step);
      const expected = sampler.sampleToken(model(generator.tokens), { ...options, u });
      expect(await generator.step()).toBe(expected);
    }
  });

  test('gives the model a copy of the tokens, to keep and to change', async () => {
    const seen: number[][] = [];
    const generator = new sampler.Generator(
      (tokens) => {
        seen.push(wrong(tokens));
        wrong<number[]>(tokens).push(99);
        return model([1]);
      },
      [3],
    );
    await generator.step();
    await generator.step();
    expect(seen.map((tokens) => tokens.length)).toEqual([2, 3]);
    expect(generator.tokens).not.toContain(99);
    generator.tokens.push(99);
    expect(generator.tokens).not.toContain(99);
  });

  test('calls its model as a plain function', async () => {
    const spy = vi.fn(function (this: unknown): LogitsInput {
      expect(this).toBeUndefined();
      return [1];
    });
    await new sampler.Generator(spy, []).step();
    expect(spy).toHaveBeenCalledExactlyOnceWith([], { promptLength: 0 });
  });

  test('takes rows at once, as promises, and as anything that has then', async () => {
    const thenable = { then: (resolve: (row: number[]) => void) => { resolve([-Infinity, 0]); } }; // prettier-ignore
    for (const answer of [[-Infinity, 0], Promise.resolve([-Infinity, 0]), thenable]) {
      expect(await new sampler.Generator(() => wrong(answer), []).step()).toBe(1);
    }
  });

  test('interleaved with another draws what it draws alone', async () => {
    const make = (seed: number) => new sampler.Generator(model, [seed], { seed });
    const [one, other, oneAlone, otherAlone] = [make(1), make(2), make(1), make(2)];
    for (let i = 0; i < 10; ++i) {
      await one.step();
      if (i % 3 !== 0) await other.step();
    }
    for (let i = 0; i < 10; ++i) await oneAlone.step();
    for (let i = 0; i < 6; ++i) await otherAlone.step();
    expect([one.tokens, other.tokens]).toEqual([oneAlone.tokens, otherAlone.tokens]);
  });
});

describe('a wrong argument', () => {
  test.each([
    [undefined, 'undefined'],
    [null, 'null'],
    [{}, 'an Object'],
    ['gpt', '"gpt"'],
  ])('as the model is refused: %s', (given, value) => {
    expect(refusalOf(() => new sampler.Generator(wrong(given), []))).toMatchObject({ code: 'INVALID_MODEL', value });
    const state = new sampler.Generator(model, []).state();
    expect(refusalOf(() => sampler.Generator.fromState(wrong(given), state)).code).toBe('INVALID_MODEL');
  });

  test.each([
    [{ threads: 1 }, 'has 1 as threads'],
    [null, 'is null'],
    ['toy', 'is "toy"'],
    [{ name: 'half \ud83d' }, 'has half a character in "name" or its value'],
    [{ '\udd8b': 'half' }, 'has half a character'],
    [Object.fromEntries(Array.from({ length: 257 }, (_, i) => [`n${i}`, ''])), 'cannot be stored'],
  ])('as the model identity is refused: %s', (identity, found) => {
    const identified = Object.assign(() => [0], { identity: wrong<Record<string, string>>(identity) });
    const error = refusalOf(() => new sampler.Generator(identified, []));
    expect(error.code).toBe('INVALID_MODEL');
    expect(error.message).toContain(found);
  });

  test('as the model identity is told what an identity is', () => {
    const identified = Object.assign(() => [0], { identity: wrong<Record<string, string>>({ v: 1 }) });
    expect(refusalOf(() => new sampler.Generator(identified, [])).message).toBe(
      "the model's identity has 1 as v; use an object whose names and values are text, such as { name: 'toy' }",
    );
  });

  test.each([
    [[1, -1], 1, '-1'],
    [[0, 1, 1.5], 2, '1.5'],
    [[NaN], 0, 'NaN'],
    [[2 ** 31], 0, '2147483648'],
    [[3, '4'], 1, '"4"'],
    [[3, null], 1, 'null'],
    ['text', 0, '"text"'],
    [undefined, 0, 'undefined'],
    [new Uint8Array(2), 0, 'a Uint8Array'],
    [Int32Array.of(5, -3), 1, '-3'],
  ])('in the prompt is refused with its place: %s', (prompt, index, value) => {
    const error = refusalOf(() => new sampler.Generator(model, wrong(prompt)));
    expect(error).toMatchObject({ code: 'INVALID_TOKEN', index, value });
  });

  test('among the settings is refused', () => {
    const refused = (given: object) => refusalOf(() => new sampler.Generator(model, [], given)).code;
    expect(refused({ temperature: '0.7' })).toBe('INVALID_TEMPERATURE');
    expect(refused({ temperature: -1 })).toBe('INVALID_TEMPERATURE');
    expect(refused({ topK: 0.5 })).toBe('INVALID_TOP_K');
    expect(refused({ topP: 2 })).toBe('INVALID_TOP_P');
    expect(refused({ seed: null })).toBe('INVALID_SEED');
    expect(refused({ top_p: 0.5 })).toBe('UNKNOWN_SETTING');
    expect(refused({ top_p: undefined })).toBe('UNKNOWN_SETTING');
    expect(refused(wrong(5))).toBe('INVALID_TEMPERATURE');
    expect(refused(wrong('x'))).toBe('INVALID_TEMPERATURE');
    expect(new sampler.Generator(model, [], wrong(null)).settings.temperature).toBe(1);
  });
});

describe('a step that fails', () => {
  const fault = new Error('the model broke');
  const answers: [string, Model, object][] = [
    ['the model throws', () => { throw fault; }, fault], // prettier-ignore
    ['the model rejects', () => Promise.reject(fault), fault],
    ['the model returns nothing', () => wrong(undefined), { code: 'INVALID_LOGITS', value: 'undefined' }],
    ['the model promises text', () => wrong(Promise.resolve('text')), { code: 'INVALID_LOGITS', value: '"text"' }],
    ['the row has NaN', () => new Float32Array(30).fill(NaN, 29), { code: 'NAN_LOGIT', index: 29 }],
    ['the row bans all', () => new Float32Array(30).fill(-Infinity), { code: 'ALL_BANNED' }],
    ['the row has another length', () => [1, 2, 3], { code: 'WRONG_LENGTH' }],
  ];
  test.each(answers)('because %s leaves the generator as it was', async (_, failing, expected) => {
    let healthy = true;
    const generator = new sampler.Generator(
      (tokens, told) => (healthy ? model(tokens) : failing(tokens, told)),
      [3],
      options,
    );
    const undisturbed = new sampler.Generator(model, [3], options);
    await generator.step();
    const before = generator.state();
    healthy = false;
    await expect(generator.step()).rejects.toMatchObject(expected);
    expect(generator.state()).toEqual(before);
    healthy = true;
    await generator.step();
    for (let i = 0; i < 2; ++i) await undisturbed.step();
    expect(generator.tokens).toEqual(undisturbed.tokens);
  });

  test('because the first row is empty leaves the generator as it was', async () => {
    const generator = new sampler.Generator(() => [], [5]);
    const before = generator.state();
    expect((await rejectionOf(generator.step())).code).toBe('EMPTY_ROW');
    expect(generator.state()).toEqual(before);
  });

  test('because the row has no place for a token of the prompt leaves the generator as it was', async () => {
    const generator = new sampler.Generator(() => [1, 2], [5]);
    const before = generator.state();
    expect(await rejectionOf(generator.step())).toMatchObject({ code: 'INVALID_TOKEN', index: 0, value: '5' });
    expect(generator.state()).toEqual(before);
  });
});

describe('a step under way', () => {
  test('keeps others out and goes on undisturbed', async () => {
    const { held, next } = heldModel();
    const generator = new sampler.Generator(held, [3]);
    const before = generator.state();
    const step = generator.step();
    expect((await rejectionOf(generator.step())).code).toBe('GENERATOR_BUSY');
    expect(generator.state()).toEqual(before);
    next()?.resolve([-Infinity, 0, -Infinity, -Infinity]);
    expect(await step).toBe(1);
    const following = generator.step();
    next()?.resolve([0, -Infinity, -Infinity, -Infinity]);
    expect(await following).toBe(0);
  });

  test('is free again after it failed', async () => {
    const { held, next } = heldModel();
    const generator = new sampler.Generator(held, []);
    const step = generator.step();
    next()?.reject(new Error('lost'));
    await expect(step).rejects.toThrow('lost');
    const following = generator.step();
    next()?.resolve([1]);
    expect(await following).toBe(0);
  });

  test('rejects by name when the generator is disposed meanwhile', async () => {
    const { held, next } = heldModel();
    const generator = new sampler.Generator(held, []);
    const step = generator.step();
    generator.dispose();
    next()?.resolve([1]);
    expect((await rejectionOf(step)).code).toBe('GENERATOR_DISPOSED');
  });
});

test('a step whose row disposes the generator while it is read rejects by name', async () => {
  const row = Object.defineProperty([0, 0], 1, {
    get: () => {
      generator.dispose();
      return 0;
    },
  });
  const generator = new sampler.Generator(() => row, []);
  expect((await rejectionOf(generator.step())).code).toBe('GENERATOR_DISPOSED');
});

describe('a disposed generator', () => {
  test('is refused by name, and may be disposed again', async () => {
    const generator = new sampler.Generator(model, [3]);
    generator.dispose();
    generator.dispose();
    generator[Symbol.dispose]();
    expect((await rejectionOf(generator.step())).code).toBe('GENERATOR_DISPOSED');
    expect(refusalOf(() => generator.state()).message).toContain('make a new one');
  });

  test('ends with its block', () => {
    let outlived;
    {
      using generator = new sampler.Generator(model, []);
      outlived = generator;
    }
    expect(refusalOf(() => outlived.state()).code).toBe('GENERATOR_DISPOSED');
  });
});

describe('a state', () => {
  test('is plain JSON from which a generator goes on', async () => {
    const generator = new sampler.Generator(model, [3], options);
    for (let i = 0; i < 7; ++i) await generator.step();
    const state = generator.state();
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
    const copies = [state, JSON.stringify(state)].map((given) => sampler.Generator.fromState(model, given));
    for (let i = 0; i < 15; ++i) {
      const token = await generator.step();
      for (const copy of copies) expect(await copy.step()).toBe(token);
    }
    for (const copy of copies) {
      expect(copy).toBeInstanceOf(sampler.Generator);
      expect(copy.state()).toEqual(generator.state());
      expect([copy.seed, copy.settings]).toEqual([generator.seed, generator.settings]);
    }
  });

  test('is a picture: later steps do not change it, and changing it does not change the generator', async () => {
    const generator = new sampler.Generator(model, [3], options);
    const state = generator.state();
    await generator.step();
    expect(state.tokens).toEqual([3]);
    state.tokens.push(1);
    expect(generator.state().tokens).toEqual(generator.tokens);
  });

  test('leads back to a branch: A B C, and at A again B and C', async () => {
    const generator = new sampler.Generator(model, [3], options);
    const a = await generator.step();
    const atA = generator.state();
    const rest = [await generator.step(), await generator.step()];
    const branch = sampler.Generator.fromState(model, atA);
    expect([a, await branch.step(), await branch.step()]).toEqual([a, ...rest]);
  });

  test('names the model', () => {
    const identity = { name: 'toy', hash: 'Zürich "☃" \u{1f58b}' };
    const state = new sampler.Generator(
      Object.assign(() => [0], { identity }),
      [],
    ).state();
    expect(state.model).toEqual(identity);
    expect(sampler.Generator.fromState(() => [0], state).state()).toEqual(state);
  });

  test('that is none is refused', () => {
    const cyclic: { self?: unknown } = {};
    cyclic.self = cyclic;
    const refused = (state: unknown) =>
      refusalOf(() => sampler.Generator.fromState(model, wrong<GeneratorState>(state))).code;
    expect(refused(cyclic)).toBe('STATE_NOT_JSON');
    expect(refused(undefined)).toBe('STATE_NOT_JSON');
    expect(refused(() => 0)).toBe('STATE_NOT_JSON');
    expect(refused({ seed: 1n })).toBe('STATE_NOT_JSON');
    expect(refused('{"format":"\ud83d"}')).toBe('STATE_NOT_JSON');
    expect(refused(null)).toBe('STATE_FOREIGN_FORMAT');
    expect(refused({})).toBe('STATE_FOREIGN_FORMAT');
    expect(refused({ ...new sampler.Generator(model, []).state(), version: 2 })).toBe('STATE_UNKNOWN_VERSION');
  });
});
