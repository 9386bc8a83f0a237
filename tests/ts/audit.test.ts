import { loadSampler, type AuditMode, type Model } from 'quillmate-sampler';
import { describe, expect, test } from 'vitest';
import { toyModel } from './fixtures.js';
import { refusalOf, wrong } from './refusal.js';

const sampler = await loadSampler();
const identity = { name: 'toy', hash: 'a' };
const toy = toyModel(30, '5', 'float32');
const model: Model = Object.assign((tokens: readonly number[]) => toy(tokens), { identity });
const prompt = [3, 4];
const options = { seed: 7, temperature: 0.9 };

/** The same model but for the last bit of one logit, at one place of the text. */
function changedAt(length: number, changedIdentity: Model['identity'] = identity): Model {
  const changed = (tokens: readonly number[]) => {
    const row = Float32Array.from(toy(tokens));
    if (tokens.length === length) new Int32Array(row.buffer)[11]! ^= 1;
    return row;
  };
  return Object.assign(changed, { identity: changedIdentity });
}

async function written(audit: AuditMode) {
  const generator = new sampler.Generator(model, prompt, { ...options, audit });
  await generator.run({ maxTokens: 10 });
  return generator;
}

describe('an audit', () => {
  test('is off unless it is asked for', async () => {
    expect((await written('off')).state()).not.toHaveProperty('audit');
    expect(new sampler.Generator(model, prompt, options).state()).not.toHaveProperty('audit');
  });

  test('keeps a chain, or each row as well', async () => {
    const { audit: light } = (await written('light')).state();
    const { audit: full } = (await written('full')).state();
    expect(light).toEqual({ from: 0, chain: expect.stringMatching(/^[0-9a-f]{16}$/) as string });
    expect(full).toEqual({ ...light, rows: expect.any(Array) as string[] });
    expect(new Set(full?.rows).size).toBe(10);
  });

  test('does not change a token', async () => {
    const [off, light, full] = await Promise.all([written('off'), written('light'), written('full')]);
    expect(light.tokens).toEqual(off.tokens);
    expect(full.tokens).toEqual(off.tokens);
  });

  test('goes on after a resume as it would have', async () => {
    for (const audit of ['light', 'full'] as const) {
      const generator = await written(audit);
      const resumed = sampler.Generator.fromState(model, generator.state());
      await generator.run({ maxTokens: 5 });
      await resumed.run({ maxTokens: 5 });
      expect(resumed.state()).toEqual(generator.state());
    }
  });

  test.each<unknown>([true, 'none', 1, null])('of %j is refused', (audit) => {
    const refusal = refusalOf(() => new sampler.Generator(model, prompt, { ...options, audit: wrong(audit) }));
    expect(refusal).toMatchObject({ code: 'INVALID_AUDIT' });
  });
});

describe('a replay', () => {
  test.each(['off', 'light', 'full'] as const)(
    'of the same numbers ends with the same state, audit %s',
    async (audit) => {
      const original = await written(audit);
      const replay = sampler.Generator.replay(model, JSON.stringify(original.state()));
      expect(replay.tokens).toEqual(prompt);
      await replay.run({ maxTokens: 10 });
      expect(replay.mismatch).toBeUndefined();
      expect(replay.identityChanges).toEqual([]);
      expect(replay.state()).toEqual(original.state());
    },
  );

  test('tells at which token the numbers changed, and what is different in the model', async () => {
    const original = await written('full');
    const other = changedAt(6, { ...identity, hash: 'b', threads: '4' });
    const replay = sampler.Generator.replay(other, original.state());
    await replay.run({ maxTokens: 4 });
    expect(replay.mismatch).toBeUndefined();
    await replay.step();
    const identityChanges = [
      { field: 'hash', before: 'a', now: 'b' },
      { field: 'threads', before: undefined, now: '4' },
    ];
    expect(replay.mismatch).toEqual({ first: 6, last: 6, identityChanges });
    expect(replay.identityChanges).toEqual(identityChanges);
    // The text is that of the numbers given, all the same.
    await replay.run({ maxTokens: 5 });
    const straight = new sampler.Generator(other, prompt, options);
    await straight.run({ maxTokens: 10 });
    expect(replay.tokens).toEqual(straight.tokens);
    expect(replay.mismatch).toMatchObject({ first: 6, last: 6 });
    expect(replay.state().model).toEqual(other.identity);
  });

  test('of a light audit tells when all of it was written', async () => {
    const replay = sampler.Generator.replay(changedAt(6), (await written('light')).state());
    await replay.run({ maxTokens: 9 });
    expect(replay.mismatch).toBeUndefined();
    await replay.step();
    expect(replay.mismatch).toEqual({ first: 2, last: 11, identityChanges: [] });
  });

  test('goes on beyond what was recorded', async () => {
    const replay = sampler.Generator.replay(changedAt(13), (await written('full')).state());
    await replay.run({ maxTokens: 15 });
    expect(replay.mismatch).toBeUndefined();
  });

  test('is refused like any state', () => {
    expect(refusalOf(() => sampler.Generator.replay(model, '{}'))).toMatchObject({ code: 'STATE_FOREIGN_FORMAT' });
    expect(refusalOf(() => sampler.Generator.replay(wrong(5), '{}'))).toMatchObject({ code: 'INVALID_MODEL' });
  });
});

describe('a resumed generator', () => {
  test('tells how its model differs from the one the text was begun with', async () => {
    const state = (await written('off')).state();
    expect(sampler.Generator.fromState(model, state).identityChanges).toEqual([]);
    const other = changedAt(0, { name: 'toy' });
    const changes = [{ field: 'hash', before: 'a', now: undefined }];
    expect(sampler.Generator.fromState(other, state).identityChanges).toEqual(changes);
    expect(sampler.Generator.fromState(() => [1], state).identityChanges).toEqual([]);
  });
});

test('names of objects’ own making are fields of an identity like others', () => {
  const odd: Model = Object.assign(() => [1, 2], { identity: { constructor: 'x', ok: 'z' } });
  const plain: Model = Object.assign(() => [1, 2], { identity: { ok: 'z' } });
  const state = new sampler.Generator(odd, [0]).state();
  const { identityChanges } = sampler.Generator.fromState(plain, state);
  expect(identityChanges).toEqual([{ field: 'constructor', before: 'x', now: undefined }]);
});

describe('a branch', () => {
  test('at any token draws what was drawn, with the same state in the end', async () => {
    const original = await written('full');
    for (let place = prompt.length; place <= original.tokens.length; place++) {
      const branch = original.branch(place);
      expect(branch.tokens).toEqual(original.tokens.slice(0, place));
      expect(branch).toBeInstanceOf(sampler.Generator);
      await branch.run({ maxTokens: original.tokens.length - place });
      expect(branch.state()).toEqual(original.state());
    }
  });

  test('with another seed writes another text, which its state tells in full', async () => {
    const original = await written('full');
    const branch = original.branch(6, { seed: 8n });
    expect(branch.seed).toBe('8');
    await branch.run({ maxTokens: 6 });
    expect(branch.tokens.slice(0, 6)).toEqual(original.tokens.slice(0, 6));
    expect(branch.tokens).not.toEqual(original.tokens);
    const replay = sampler.Generator.replay(model, branch.state());
    await replay.run({ maxTokens: 6 });
    expect(replay.state()).toEqual(branch.state());
    expect(replay.mismatch).toBeUndefined();
  });

  test('outlives what it came from', async () => {
    const original = await written('off');
    const branch = original.branch(5);
    original.dispose();
    await branch.step();
    expect(branch.tokens).toHaveLength(6);
    expect(refusalOf(() => original.branch(5))).toMatchObject({ code: 'GENERATOR_DISPOSED' });
  });

  test.each<[unknown, string]>([
    [1, '1'],
    [13, '13'],
    [2.5, '2.5'],
    [-1, '-1'],
    [NaN, 'NaN'],
    [Infinity, 'Infinity'],
    ['5', '"5"'],
    [undefined, 'undefined'],
  ])('at %j is refused', async (place, value) => {
    const original = await written('off');
    const refusal = refusalOf(() => original.branch(wrong(place)));
    expect(refusal).toMatchObject({ code: 'INVALID_POSITION', value, detail: '2 to 12' });
    expect(refusalOf(() => original.branch(5, { seed: -1 }))).toMatchObject({ code: 'INVALID_SEED' });
  });

  test('takes a seed and no other setting, since it would pass it over', async () => {
    const original = await written('off');
    for (const name of ['temperature', 'sed']) {
      const { code, message } = refusalOf(() => original.branch(5, wrong({ [name]: 0.2 })));
      expect(code).toBe('UNKNOWN_SETTING');
      expect(message).toBe(`there is no setting "${name}"; the settings are seed`);
    }
    expect(refusalOf(() => original.branch(5, wrong(7)))).toMatchObject({
      code: 'INVALID_SEED',
      message: "the branch's options are 7; pass an object, such as { seed: 7 }",
    });
  });
});
