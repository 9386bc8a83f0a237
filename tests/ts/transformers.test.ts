import { loadSampler } from 'quillmate-sampler';
import { seededGeneration } from 'quillmate-sampler/transformers';
import { describe, expect, test } from 'vitest';
import { toyModel } from './fixtures.js';
import { refusalOf, wrong } from './refusal.js';

const sampler = await loadSampler();
const vocabSize = 30;
const toy = toyModel(vocabSize, '5', 'float32');

/** The part of generate that matters: rows of logits, the processors, the greedy search. */
function generate(
  prompts: readonly (readonly number[])[],
  count: number,
  { logits_processor }: ReturnType<typeof seededGeneration>['options'],
): number[][] {
  const texts = prompts.map((prompt) => [...prompt]);
  for (let i = 0; i < count; i++) {
    const data = Float32Array.from(texts.flatMap((text) => [...toy(text)]));
    const inputIds = texts.map((text) => text.map(BigInt));
    const logits = logits_processor.reduce((tensor, processor) => processor(inputIds, tensor), {
      dims: [texts.length, vocabSize],
      data,
    });
    texts.forEach((text, row) => {
      const scores = (logits.data as Float32Array).subarray(row * vocabSize, (row + 1) * vocabSize);
      text.push(scores.indexOf(Math.max(...scores)));
    });
  }
  return texts;
}

async function expectedText(prompt: readonly number[], count: number, options: object): Promise<number[]> {
  const generator = new sampler.Generator(toy, prompt, options);
  await generator.run({ maxTokens: count });
  return generator.tokens;
}

describe('a request to Transformers.js', () => {
  const options = { seed: 7, temperature: 0.9, topK: 12, topP: 0.95 };

  test('draws the tokens that a generator draws', async () => {
    const request = seededGeneration(sampler, options);
    expect(request.options).toMatchObject({ do_sample: false, num_beams: 1 });
    expect(generate([[3, 4]], 20, request.options)).toEqual([await expectedText([3, 4], 20, options)]);
  });

  test('draws each row of a batch as if it were alone', async () => {
    const rows = [options, { seed: 8 }, { seed: 7, temperature: 0 }];
    const prompts = [[3], [4], [3]];
    const expected = await Promise.all(rows.map((row, i) => expectedText(prompts[i] ?? [], 12, row)));
    expect(generate(prompts, 12, seededGeneration(sampler, rows).options)).toEqual(expected);
  });

  test('goes on from its state', async () => {
    const identity = { name: 'toy' };
    const first = seededGeneration(sampler, { ...options, identity, audit: 'full' });
    expect(first.states()).toEqual([]);
    const [text = []] = generate([[3, 4]], 8, first.options);
    const [state] = first.states();
    expect(state).toMatchObject({ step: 8, tokens: text, model: identity });
    if (state === undefined) return;
    const second = seededGeneration(sampler, { state: JSON.stringify(state), identity });
    expect(generate([text], 12, second.options)).toEqual([await expectedText([3, 4], 20, options)]);
    expect(second.states()).toEqual([expect.objectContaining({ step: 20 })]);
  });

  test('goes on when the same request is made again with what it wrote', async () => {
    const request = seededGeneration(sampler, options);
    const texts = generate([[3, 4]], 8, request.options);
    expect(generate(texts, 12, request.options)).toEqual([await expectedText([3, 4], 20, options)]);
  });

  test('refuses a text that is not the one it drew', () => {
    const request = seededGeneration(sampler, options);
    const [text = []] = generate([[3, 4]], 3, request.options);
    const changed = [...text.slice(0, 4), 29 - (text[4] ?? 0)];
    for (const [tokens, index] of [
      [changed, 4],
      [text.slice(0, 4), 4],
      [[...text, 1], 5],
      [[9, 9], 0],
    ] as const) {
      const refusal = refusalOf(() => generate([tokens], 1, request.options));
      expect(refusal).toMatchObject({ code: 'TEXT_CHANGED', index, row: 0 });
    }
    expect(request.states()).toEqual([expect.objectContaining({ tokens: text })]);
  });

  test('refuses other rows than it has settings for, and settings that are wrong', () => {
    const { options: two } = seededGeneration(sampler, [options, options]);
    expect(refusalOf(() => generate([[1]], 1, two))).toMatchObject({ code: 'WRONG_LENGTH' });
    expect(refusalOf(() => seededGeneration(sampler, { topP: 2 }))).toMatchObject({ code: 'INVALID_TOP_P' });
    expect(refusalOf(() => seededGeneration(sampler, wrong({ top_p: 0.9 })))).toMatchObject({
      code: 'UNKNOWN_SETTING',
    });
    expect(refusalOf(() => seededGeneration(sampler, { state: '{}' }))).toMatchObject({ code: 'STATE_FOREIGN_FORMAT' });
  });

  test('refuses rows that are none, and names all that a row may have', () => {
    const refused = (rows: unknown) => refusalOf(() => seededGeneration(sampler, wrong(rows)));
    for (const [rows, value] of [
      [undefined, 'undefined'],
      [null, 'null'],
      [5, '5'],
      ['x', '"x"'],
    ] as const) {
      const message = `the settings are ${value}; pass an object, such as { temperature: 0.8 }`;
      expect(refused(rows)).toMatchObject({ code: 'INVALID_TEMPERATURE', value, row: undefined, message });
      expect(refused([{}, rows])).toMatchObject({ row: 1, message: `row 1: ${message}` });
    }
    expect(refused({ idntity: {} }).message).toBe(
      'there is no setting "idntity"; the settings are temperature, topK, topP, seed, audit, identity, state',
    );
  });

  test('refuses logits that are no rows of float32', () => {
    const [processor] = seededGeneration(sampler, options).options.logits_processor;
    for (const logits of [
      { dims: [1, 3], data: new Float64Array(3) },
      { dims: [1, 4], data: new Float32Array(3) },
    ]) {
      expect(refusalOf(() => processor?.([[1n]], logits))).toMatchObject({ code: 'INVALID_LOGITS' });
    }
  });

  test('in which one row cannot be drawn from draws from none, and goes on when it can', () => {
    const request = seededGeneration(sampler, [options, { seed: 8 }]);
    const [processor] = request.options.logits_processor;
    const texts = generate([[3], [4]], 2, request.options);
    const states = request.states();
    const inputIds = texts.map((text) => text.map(BigInt));
    const data = Float32Array.from(texts.flatMap((text) => [...toy(text)]));
    data[vocabSize + 5] = NaN;
    const before = data.slice();
    const refusal = refusalOf(() => processor?.(inputIds, { dims: [2, vocabSize], data }));
    expect(refusal).toMatchObject({ code: 'NAN_LOGIT', row: 1, index: 5 });
    const changed = refusalOf(() => processor?.([inputIds[0] ?? [], [4n]], { dims: [2, vocabSize], data }));
    expect(changed).toMatchObject({ code: 'TEXT_CHANGED', row: 1 });
    expect(data).toEqual(before);
    expect(request.states()).toEqual(states);
    const undisturbed = generate([[3], [4]], 5, seededGeneration(sampler, [options, { seed: 8 }]).options);
    expect(generate(texts, 3, request.options)).toEqual(undisturbed);
  });

  test('refuses settings beside a state, which has its own', () => {
    const request = seededGeneration(sampler, options);
    generate([[3]], 2, request.options);
    const [state] = request.states();
    expect(refusalOf(() => seededGeneration(sampler, wrong({ state, temperature: 0.5 }))).message).toBe(
      'there is no setting "temperature"; the settings are identity, state',
    );
  });

  test('ends when it is disposed, before its first token, too', () => {
    const unused = seededGeneration(sampler, options);
    unused.dispose();
    expect(refusalOf(() => generate([[3]], 1, unused.options))).toMatchObject({ code: 'GENERATOR_DISPOSED' });
    const request = seededGeneration(sampler, options);
    generate([[3]], 2, request.options);
    request.dispose();
    expect(refusalOf(() => request.states())).toMatchObject({ code: 'GENERATOR_DISPOSED' });
  });
});
