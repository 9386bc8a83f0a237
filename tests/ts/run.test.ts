import { loadSampler, type RunOptions } from 'quillmate-sampler';
import { describe, expect, test } from 'vitest';
import { toyModel } from './fixtures.js';
import { refusalOf, rejectionOf, wrong } from './refusal.js';

const sampler = await loadSampler();
const model = toyModel(30, '5');
const fresh = () => new sampler.Generator(model, [3, 4], { seed: 7, temperature: 0.9 });

const straight = fresh();
for (let i = 0; i < 20; i++) await straight.step();
const expected = straight.tokens.slice(2);

/** Two letters a token, so that a text can begin and end within one. */
const decode = (tokens: readonly number[]): string =>
  tokens.map((token) => String.fromCharCode(65 + (token % 26), 97 + (token % 26))).join('');

describe('a run', () => {
  test('draws the tokens that single steps draw, and tells them as it goes', async () => {
    const told: number[] = [];
    const generator = fresh();
    const result = await generator.run({ maxTokens: 20, onToken: (token) => told.push(token) });
    expect(result).toEqual({ reason: 'maxTokens', tokens: expected });
    expect(told).toEqual(expected);
    expect(generator.state()).toEqual(straight.state());
  });

  test('can be iterated, and draws no further than it is asked to', async () => {
    const generator = fresh();
    const run = generator.run();
    const seen: number[] = [];
    for await (const token of run) {
      seen.push(token);
      expect(generator.tokens.slice(2)).toEqual(seen);
      if (seen.length === 5) break;
    }
    expect(seen).toEqual(expected.slice(0, 5));
    expect(await run).toEqual({ reason: 'aborted', tokens: seen });
    expect((await generator.run({ maxTokens: 15 })).tokens).toEqual(expected.slice(5));
  });

  test('that is iterated to its end has its result afterwards', async () => {
    const run = fresh().run({ maxTokens: 3 });
    const seen: number[] = [];
    for await (const token of run) seen.push(token);
    expect(await run).toEqual({ reason: 'maxTokens', tokens: seen });
  });

  test('does nothing before it is awaited or iterated', () => {
    const generator = fresh();
    generator.run({ maxTokens: 3 });
    expect(generator.tokens).toEqual([3, 4]);
  });

  test('without an end can be iterated, not awaited', async () => {
    const generator = fresh();
    const error = await rejectionOf(Promise.resolve(generator.run()));
    expect(error).toMatchObject({ code: 'INVALID_RUN' });
    expect(String(error)).toContain('give it maxTokens, eosId, stop or signal');
    expect(generator.tokens).toEqual([3, 4]);
  });

  test('of no tokens draws none', async () => {
    expect(await fresh().run({ maxTokens: 0 })).toEqual({ reason: 'maxTokens', tokens: [] });
  });

  test('ends with the token that ends a text, or one of several', async () => {
    const [a, , b = 0] = expected;
    const until = async (eosId: RunOptions['eosId']) => fresh().run({ maxTokens: 20, eosId });
    expect(await until(b)).toEqual({ reason: 'eos', tokens: expected.slice(0, expected.indexOf(b) + 1) });
    expect(await until([29, b, a ?? 0])).toEqual({ reason: 'eos', tokens: [a] });
  });

  test('ends with a text, wherever its tokens begin and end', async () => {
    const text = decode(expected);
    for (let start = 0; start < 12; start++) {
      for (const length of [1, 2, 3, 5]) {
        const stop = text.slice(start, start + length);
        const at = text.indexOf(stop);
        const count = Math.ceil((at + length) / 2);
        const result = await fresh().run({ maxTokens: 20, stop: ['no such text', stop], decode });
        expect(result).toEqual({ reason: 'stop', tokens: expected.slice(0, count), stop, text: text.slice(0, at) });
      }
    }
  });

  test('never asks for the text of no tokens, which some tokenizers refuse', async () => {
    const strict = (tokens: number[]): string => {
      if (tokens.length === 0) throw new Error('no tokens');
      return decode(tokens);
    };
    const stop = decode(expected).slice(0, 1);
    expect(await fresh().run({ stop, decode: strict })).toMatchObject({ reason: 'stop', stop, text: '' });
  });

  test('finds a text that an interrupted run had begun, and no text twice', async () => {
    const text = decode(expected);
    const stop = text.slice(5, 9); // ends with the fifth token
    const generator = fresh();
    await generator.run({ maxTokens: 4 });
    const resumed = sampler.Generator.fromState(model, generator.state());
    expect(await resumed.run({ maxTokens: 16, stop, decode })).toMatchObject({ reason: 'stop', tokens: [expected[4]] });
    const rest = await resumed.run({ maxTokens: 3, stop, decode });
    expect(rest).toEqual({ reason: 'maxTokens', tokens: expected.slice(5, 8) });
  });

  test('is ended by its signal between two tokens and during one, and goes on as if nothing had been', async () => {
    const before = new AbortController();
    before.abort();
    expect(await fresh().run({ signal: before.signal })).toEqual({ reason: 'aborted', tokens: [] });

    const between = new AbortController();
    const generator = fresh();
    const onToken = () => {
      if (generator.tokens.length === 7) between.abort();
    };
    const run = await generator.run({ signal: between.signal, onToken });
    expect(run).toEqual({ reason: 'aborted', tokens: expected.slice(0, 5) });

    const during = new AbortController();
    let calls = 0;
    const giving = new sampler.Generator(
      (tokens) => {
        if (++calls < 4) return model(tokens);
        during.abort();
        return Promise.reject(new Error('given up'));
      },
      [3, 4],
      { seed: 7, temperature: 0.9 },
    );
    const given = await giving.run({ signal: during.signal });
    expect(given).toEqual({ reason: 'aborted', tokens: expected.slice(0, 3) });
    const resumed = sampler.Generator.fromState(model, giving.state());
    expect((await resumed.run({ maxTokens: 17 })).tokens).toEqual(expected.slice(3));
  });

  test('rejects with what a step rejects with, every time it is asked, and keeps what was drawn', async () => {
    let calls = 0;
    const failing = new sampler.Generator((tokens) => (++calls < 4 ? model(tokens) : [NaN]), [3, 4], {
      seed: 7,
      temperature: 0.9,
    });
    const run = failing.run({ maxTokens: 20 });
    for (let i = 0; i < 2; i++) {
      expect(await rejectionOf(Promise.resolve(run))).toMatchObject({ code: 'WRONG_LENGTH' });
    }
    expect(failing.tokens.slice(2)).toEqual(expected.slice(0, 3));
  });

  test('ends with what its onToken throws, after the token', async () => {
    const generator = fresh();
    const onToken = () => {
      throw new Error('mine');
    };
    await expect(Promise.resolve(generator.run({ maxTokens: 5, onToken }))).rejects.toThrow('mine');
    expect(generator.tokens).toHaveLength(3);
  });

  test.each<[string, object | null, string]>([
    ['a number of tokens that is not whole', { maxTokens: 1.5 }, 'maxTokens 1.5'],
    ['a number of tokens below 0', { maxTokens: -1 }, 'maxTokens -1'],
    ['a number of tokens as text', { maxTokens: '5' }, 'maxTokens "5"'],
    ['an end token that is none', { eosId: [1, -2] }, 'eosId -2'],
    ['an empty stop', { stop: '', decode }, 'stop ""'],
    ['a stop that is no text', { stop: [1], decode }, 'stop 1'],
    ['a stop without the text of tokens', { stop: 'end' }, 'decode undefined'],
    ['a controller for its signal', { signal: new AbortController() }, 'signal an AbortController'],
    ['a signal that is none', { signal: 5 }, 'signal 5'],
    ['an onToken that is no function', { onToken: 'x' }, 'onToken "x"'],
    ['a misspelt option', { max_tokens: 5 }, 'the option "max_tokens"'],
    ['no options but null', null, 'the options null'],
  ])('is refused with %s', (_, options, value) => {
    const refusal = refusalOf(() => fresh().run(wrong(options)));
    expect(refusal).toMatchObject({ code: 'INVALID_RUN', value });
  });
});

test('a run whose decode gives no text is told so, after the token', async () => {
  const generator = fresh();
  const run = generator.run({ stop: 'a', decode: wrong(() => 5) });
  await expect(Promise.resolve(run)).rejects.toMatchObject({ code: 'INVALID_RUN', value: 'decode gave 5' });
  expect(generator.tokens).toHaveLength(3);
});

describe('draw', () => {
  test('takes rows that the caller has, and draws what a step draws', () => {
    const generator = fresh();
    expect(expected.map(() => generator.draw(model(generator.tokens)))).toEqual(expected);
  });

  test('is refused during a step, and leaves the generator as it was when a row is', async () => {
    let answer: ((row: readonly number[]) => void) | undefined;
    const generator = new sampler.Generator(() => new Promise<readonly number[]>((resolve) => (answer = resolve)), []);
    const step = generator.step();
    expect(refusalOf(() => generator.draw([1, 2]))).toMatchObject({ code: 'GENERATOR_BUSY' });
    answer?.([1]);
    expect(await step).toBe(0);
    expect(refusalOf(() => generator.draw([NaN]))).toMatchObject({ code: 'NAN_LOGIT' });
    expect(generator.tokens).toEqual([0]);
    expect(generator.draw([5])).toBe(0);
  });
});
