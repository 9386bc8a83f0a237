import { loadSampler, type LogitsInput, type Model } from 'quillmate-sampler';
import {
  SpeculativeGenerator,
  suffixLookup,
  type Draft,
  type SpeculativeGeneratorOptions,
  type SpeculativeState,
} from 'quillmate-sampler/speculative';
import { describe, expect, test, vi } from 'vitest';
import { toyModel } from './fixtures.js';
import { refusalOf, rejectionOf, wrong } from './refusal.js';

const sampler = await loadSampler();
const vocabSize = 12;
const prompt = [3, 1, 4];
const modes = ['text', 'distribution'] as const;

/** A model that gives several rows at once, and counts how often it is asked. */
function withRows(model: (tokens: readonly number[]) => LogitsInput): Model & { asked: number } {
  const counting = Object.assign(
    (tokens: readonly number[]) => {
      counting.asked += 1;
      return model(tokens);
    },
    {
      asked: 0,
      rows: (tokens: readonly number[], count: number) => {
        counting.asked += 1;
        return Array.from({ length: count }, (_, i) => model(tokens.slice(0, tokens.length - count + 1 + i)));
      },
    },
  );
  return counting;
}

const toy = toyModel(vocabSize, '7');
const other = toyModel(vocabSize, '8');
/** Half the toy model, half another: it is right now and then. */
const near = (tokens: readonly number[]) => {
  const [a, b] = [toy(tokens), other(tokens)];
  return Float64Array.from(a, (logit, i) => 0.7 * logit + 0.3 * b[i]!);
};
const drafts: [string, Draft][] = [
  ['a model', near],
  ['a model that promises its rows', (tokens) => Promise.resolve(near(tokens))],
  ['the target itself', toy],
  ['the text itself', suffixLookup({ longest: 3, shortest: 1 })],
  ['one token for ever', () => 5],
  ['nothing', () => undefined],
];
const settings = { seed: 11, temperature: 1.5, topP: 0.95 };

async function textOf(generator: { run(options: { maxTokens: number }): PromiseLike<unknown>; tokens: number[] }) {
  await generator.run({ maxTokens: 40 });
  return generator.tokens;
}

const plainText = await textOf(new sampler.Generator(toy, prompt, settings));

describe("in mode text, the text is the plain generator's", () => {
  test.each(drafts)('with %s as the draft', async (_, draft) => {
    for (const depth of [1, 4, 5, [3, 0, 2], [3, 2]]) {
      using generator = new SpeculativeGenerator(sampler, { target: withRows(toy), draft }, prompt, {
        ...settings,
        depth,
      });
      expect(await textOf(generator)).toEqual(plainText);
    }
  });

  test.each([
    { temperature: 0 },
    { topK: 1 },
    { topK: 5, temperature: 3 },
    { topP: 0.5 },
    { temperature: 0.1, topP: 0.1 },
  ])('with %j', async (given) => {
    const options = { ...given, seed: 5 };
    const expected = await textOf(new sampler.Generator(toy, prompt, options));
    expect(
      await textOf(new SpeculativeGenerator(sampler, { target: withRows(toy), draft: near }, prompt, options)),
    ).toEqual(expected);
  });

  test('and so are its state and its audit after each token', async () => {
    const plain = new sampler.Generator(toy, prompt, { ...settings, audit: 'full' });
    const models = { target: withRows(toy), draft: near };
    const generator = new SpeculativeGenerator(sampler, models, prompt, { ...settings, audit: 'full' });
    for (let step = 0; step < 20; ++step) {
      expect(generator.state().generator).toEqual(plain.state());
      expect(await generator.step()).toBe(await plain.step());
    }
  });

  test('and each can go on from a state of the other', async () => {
    const models = { target: withRows(toy), draft: near };
    for (const place of [0, 1, 7]) {
      const plain = new sampler.Generator(toy, prompt, settings);
      await plain.run({ maxTokens: place });
      const speculating = SpeculativeGenerator.fromState(sampler, models, plain.state(), { depth: [3, 0, 2] });
      await speculating.run({ maxTokens: 20 });
      expect(speculating.tokens).toEqual(plainText.slice(0, prompt.length + place + 20));
      const back = sampler.Generator.fromState(toy, speculating.state().generator);
      await back.run({ maxTokens: 20 - place });
      expect(back.tokens).toEqual(plainText);
    }
  });

  test('also when the model fills one array for all its rows', async () => {
    const row = new Float64Array(vocabSize);
    const target = (tokens: readonly number[]) => {
      row.set(toy(tokens));
      return row;
    };
    const models = { target, draft: near };
    const pair = [11, 12].map((seed) => new SpeculativeGenerator(sampler, models, prompt, { ...settings, seed }));
    for (let step = 0; step < 20; ++step) await Promise.all(pair.map((generator) => generator.step()));
    expect(pair[0]!.tokens).toEqual(plainText.slice(0, prompt.length + 20));
  });

  test('and a model without rows is asked once a token, with nothing guessed', async () => {
    const target = vi.fn(toy);
    const generator = new SpeculativeGenerator(sampler, { target, draft: near }, prompt, settings);
    expect(await textOf(generator)).toEqual(plainText);
    expect(target).toHaveBeenCalledTimes(40);
    expect(generator.acceptance).toEqual({ proposed: 0, accepted: 0, rate: 0, evaluations: 40 });
  });
});

test('the target is asked less often, the better the draft', async () => {
  const asked: number[] = [];
  for (const draft of [() => undefined, near, toy]) {
    const target = withRows(toy);
    const generator = new SpeculativeGenerator(sampler, { target, draft }, prompt, { ...settings, depth: 4 });
    await textOf(generator);
    expect(generator.acceptance.evaluations).toBe(target.asked);
    asked.push(target.asked);
  }
  expect(asked[0]).toBe(40);
  expect(asked[1]).toBeLessThan(40);
  expect(asked[2]).toBe(8); // 4 guesses that stand and a token more, each time
});

test('acceptance counts the guesses and those that were drawn', async () => {
  const guess = (tokens: readonly number[]) => [plainText[3], plainText[4], 99 % vocabSize][tokens.length - 3];
  const models = { target: withRows(toy), draft: guess };
  const generator = new SpeculativeGenerator(sampler, models, prompt, { ...settings, depth: 2 });
  expect(generator.acceptance).toEqual({ proposed: 0, accepted: 0, rate: 0, evaluations: 0 });
  await generator.step();
  expect(generator.acceptance).toEqual({ proposed: 2, accepted: 1, rate: 0.5, evaluations: 1 });
  await generator.run({ maxTokens: 3 });
  expect(generator.acceptance).toEqual({ proposed: 2, accepted: 2, rate: 1, evaluations: 2 });
});

/** Weights of all tokens. */
function weights(row: LogitsInput, options: object): number[] {
  const { ids, probabilities } = sampler.distribution(row, options);
  const all = Array<number>(vocabSize).fill(0);
  ids.forEach((id, i) => (all[id] = probabilities[i]!));
  return all;
}

/** Mode distribution, written down as the rules say it: round by round, each number from its place and purpose. */
function byTheRules(
  draft: (tokens: readonly number[]) => LogitsInput,
  depth: readonly number[],
  count: number,
): number[] {
  const { seed, ...rest } = settings;
  const text = [...prompt];
  const u = (stream: number) => sampler.uniform(seed, text.length - prompt.length, stream);
  for (let round = 0; text.length < prompt.length + count; ++round) {
    let stands = true;
    for (let i = 0; i < depth[round % depth.length]! && stands; ++i) {
      const q = draft(text);
      const guess = sampler.sampleToken(q, { ...rest, u: u(1) });
      const { token, accepted } = sampler.speculativeStep(
        weights(toy(text), rest),
        weights(q, rest),
        guess,
        u(2),
        u(3),
      );
      text.push(token);
      stands = accepted;
    }
    if (stands) text.push(sampler.sampleToken(toy(text), { ...rest, u: u(0) }));
  }
  return text.slice(0, prompt.length + count);
}

describe('in mode distribution', () => {
  const options = { ...settings, mode: 'distribution' } as const;
  const fresh = (draft: Draft, more: SpeculativeGeneratorOptions = {}, target: Model = withRows(toy)) =>
    new SpeculativeGenerator(sampler, { target, draft }, prompt, { ...options, ...more });

  test.each([[[4]], [[1]], [[3, 0, 2]], [[0, 5, 1]]])('the text is that of the rules, with depth %j', async (depth) => {
    const expected = byTheRules(near, depth, 40);
    expect(await textOf(fresh(near, { depth }))).toEqual(expected);
    expect(await textOf(fresh((tokens) => Promise.resolve(near(tokens)), { depth }))).toEqual(expected);
    expect(await textOf(fresh(near, { depth }, toy))).toEqual(expected); // without rows
  });

  test('rounds without a guess use nothing up: alone, they make the plain text', async () => {
    expect(await textOf(fresh(near, { depth: [0] }))).toEqual(plainText);
    expect(await textOf(fresh(() => undefined))).toEqual(plainText);
  });

  test('a greedy text is the plain one', async () => {
    const expected = await textOf(new sampler.Generator(toy, prompt, { seed: 1, temperature: 0 }));
    expect(await textOf(fresh(near, { temperature: 0 }))).toEqual(expected);
  });

  test("the audit is refused, since the rows are not the target's", () => {
    expect(refusalOf(() => fresh(near, { audit: 'light' }))).toMatchObject({ code: 'INVALID_RUN' });
  });

  test('rows of another length than the target’s are refused', async () => {
    const generator = fresh(toyModel(vocabSize + 1, '7'));
    expect((await rejectionOf(generator.step())).code).toBe('WRONG_LENGTH');
    expect(generator.tokens).toEqual(prompt);
  });

  test('a change of the draft shows in the identity', async () => {
    const named = (of: Draft, name: string): Draft =>
      Object.assign((...given: Parameters<Draft>) => of(...given), { identity: { name } });
    const target = Object.assign(withRows(toy), { identity: { name: 'toy' } });
    const generator = fresh(named(near, 'near'), {}, target);
    await generator.step();
    const models = { target, draft: named(near, 'far') };
    const resumed = SpeculativeGenerator.fromState(sampler, models, generator.state());
    expect(resumed.identityChanges).toEqual([{ field: 'draft.name', before: 'near', now: 'far' }]);
  });
});

describe.each(modes)('in mode %s', (mode) => {
  const options: SpeculativeGeneratorOptions = { ...settings, mode, depth: [3, 0, 2], stopIds: [6] };
  const models = (draft: Draft = near) => ({ target: withRows(toy), draft });
  const fresh = (more: SpeculativeGeneratorOptions = {}) =>
    new SpeculativeGenerator(sampler, models(), prompt, { ...options, ...more });

  test.each(drafts)('a text goes on from each token as without a break, with %s as the draft', async (_, draft) => {
    const straight = new SpeculativeGenerator(sampler, models(draft), prompt, options);
    const states: SpeculativeState[] = [];
    for (let step = 0; step < 25; ++step) {
      states.push(straight.state());
      await straight.step();
    }
    const end = straight.state();
    for (const state of states) {
      const resumed = SpeculativeGenerator.fromState(sampler, models(draft), JSON.stringify(state));
      expect(resumed.state()).toEqual(state);
      while (resumed.tokens.length < straight.tokens.length) await resumed.step();
      expect(resumed.tokens).toEqual(straight.tokens);
      expect(resumed.state()).toEqual(end);
    }
  });

  test('one seed at a high temperature writes one text, twice', async () => {
    const [one, again] = [fresh({ seed: 42, temperature: 2 }), fresh({ seed: 42, temperature: 2 })];
    expect(await textOf(again)).toEqual(await textOf(one));
    expect(await textOf(fresh({ seed: 43, temperature: 2 }))).not.toEqual(one.tokens);
  });

  test('texts are the same alone, in turns, at once and in a batch', async () => {
    const seeds = [1, 2, 3];
    const alone = await Promise.all(seeds.map((seed) => textOf(fresh({ seed }))));
    const shared = models();
    const together = () => seeds.map((seed) => new SpeculativeGenerator(sampler, shared, prompt, { ...options, seed }));
    const [turns, atOnce, batch] = [together(), together(), together()];
    for (let step = 0; step < 40; ++step) {
      for (const generator of turns) await generator.step();
      await Promise.all(atOnce.map((generator) => generator.step()));
      await sampler.stepBatch(batch.map(({ generator }) => generator));
    }
    for (const generators of [turns, atOnce, batch]) expect(generators.map(({ tokens }) => tokens)).toEqual(alone);
  });

  test('rows with and without seeds, with drafts and without, mixed in one batch are each as alone', async () => {
    const shared = models();
    const speculating = (seed?: string) =>
      new SpeculativeGenerator(sampler, shared, prompt, { ...settings, mode, seed });
    const plain = (seed?: string) => new sampler.Generator(shared.target, prompt, { ...settings, seed });
    const batch = [speculating('11'), speculating(), plain('11'), plain(), speculating()];
    for (let step = 0; step < 40; ++step) {
      await sampler.stepBatch(batch.map((row) => (row instanceof SpeculativeGenerator ? row.generator : row)));
    }
    expect(new Set(batch.map(({ seed }) => seed)).size).toBe(4);
    for (const row of batch) {
      const alone = row instanceof SpeculativeGenerator ? speculating(row.seed) : plain(row.seed);
      expect(await textOf(alone)).toEqual(row.tokens);
    }
  });

  test('a branch draws what was drawn there, and with another seed something else', async () => {
    const generator = fresh();
    const text = await textOf(generator);
    for (let place = prompt.length; place < text.length; ++place) {
      const branch = generator.branch(place);
      expect(branch.tokens).toEqual(text.slice(0, place));
      await branch.run({ maxTokens: text.length - place });
      expect(branch.tokens).toEqual(text);
    }
    const elsewhere = generator.branch(10, { seed: 12 });
    await elsewhere.run({ maxTokens: 20 });
    expect(elsewhere.tokens.slice(0, 10)).toEqual(text.slice(0, 10));
    expect(elsewhere.tokens.slice(10)).not.toEqual(text.slice(10, 30));
    expect(refusalOf(() => generator.branch(2)).code).toBe('INVALID_POSITION');
  });

  test('nothing is guessed after a stop id', async () => {
    const draft = vi.fn(() => 6);
    const generator = new SpeculativeGenerator(sampler, models(draft), prompt, { ...options, depth: 5 });
    await generator.run({ maxTokens: 40 });
    expect(generator.tokens).toContain(6);
    expect(draft.mock.calls.length).toBeLessThanOrEqual(generator.state().rounds.length);
    expect((await fresh().run({ eosId: 6, maxTokens: 500 })).reason).toBe('eos');
  });

  test('a step that fails in a model leaves the generator as it was, and the text goes on as it would have', async () => {
    const expected = await textOf(fresh());
    let failing = false;
    const fail = () => {
      if (failing) throw new RangeError('mine');
    };
    const target = withRows((tokens) => {
      fail();
      return toy(tokens);
    });
    const failingDraft = (tokens: readonly number[]) => {
      fail();
      return near(tokens);
    };
    for (const parts of [
      { target, draft: near },
      { target: withRows(toy), draft: failingDraft },
    ]) {
      const generator = new SpeculativeGenerator(sampler, parts, prompt, options);
      let failures = 0;
      while (generator.tokens.length < expected.length) {
        const before = [generator.state(), generator.acceptance];
        failing = true;
        const [result] = await Promise.allSettled([generator.step()]);
        failing = false;
        if (result.status === 'fulfilled') continue; // a row that was there
        failures += 1;
        expect(result.reason).toBeInstanceOf(RangeError);
        expect([generator.state(), generator.acceptance]).toEqual(before);
        await generator.step();
      }
      expect(failures).toBeGreaterThan(5);
      expect(generator.tokens).toEqual(expected);
    }
  });

  test('a row that cannot be sampled is refused, the draft’s as well', async () => {
    const bad = () => Float64Array.of(1, NaN);
    for (const parts of [
      { target: withRows(bad), draft: () => 0 },
      { target: withRows(toy), draft: bad },
    ]) {
      const generator = new SpeculativeGenerator(sampler, parts, prompt, options);
      expect(await rejectionOf(generator.step())).toMatchObject({ code: 'NAN_LOGIT', index: 1 });
      expect(generator.tokens).toEqual(prompt);
    }
  });

  test.each([1.5, -1, NaN])('the guess %d is refused', async (guess) => {
    const generator = new SpeculativeGenerator(
      sampler,
      models(() => guess),
      prompt,
      options,
    );
    expect(await rejectionOf(generator.step())).toMatchObject({ code: 'INVALID_TOKEN', value: String(guess) });
  });

  test('rows that are too few are refused', async () => {
    const target = Object.assign((tokens: readonly number[]) => toy(tokens), { rows: () => [] });
    const generator = new SpeculativeGenerator(sampler, { target, draft: near }, prompt, options);
    expect((await rejectionOf(generator.step())).code).toBe('WRONG_LENGTH');
  });

  test('a step is given up by its signal, which both models see', async () => {
    const reasons: unknown[] = [];
    const waits = (_: readonly number[], { signal }: { signal?: AbortSignal | undefined }) =>
      new Promise<never>((_, reject) =>
        signal?.addEventListener('abort', () => {
          reasons.push(signal.reason);
          reject(new Error('given up'));
        }),
      );
    const target = Object.assign(withRows(toy), {
      rows: (tokens: readonly number[], _: number, given: { signal?: AbortSignal | undefined }) => waits(tokens, given),
    });
    for (const parts of [
      { target, draft: near },
      { target: withRows(toy), draft: waits },
    ]) {
      const generator = new SpeculativeGenerator(sampler, parts, prompt, options);
      const controller = new AbortController();
      const run = generator.run({ signal: controller.signal }).then((result) => result);
      setTimeout(() => {
        controller.abort('enough');
      });
      expect(await run).toEqual({ reason: 'aborted', tokens: [] });
    }
    expect(reasons).toEqual(['enough', 'enough']);
  });

  test('a disposed generator says so', async () => {
    const generator = fresh();
    await generator.step();
    generator.dispose();
    generator.dispose();
    expect((await rejectionOf(generator.step())).code).toBe('GENERATOR_DISPOSED');
    expect(refusalOf(() => generator.state()).code).toBe('GENERATOR_DISPOSED');
  });

  test('another step under way is an error', async () => {
    const generator = fresh();
    const first = generator.step();
    expect((await rejectionOf(generator.step())).code).toBe('GENERATOR_BUSY');
    await first;
  });

  test('a state that is none, of another version or not possible is refused', async () => {
    const generator = fresh();
    await generator.run({ maxTokens: 9 });
    const state = generator.state();
    const { rounds } = state;
    for (const [change, code] of [
      [{ format: 'x' }, 'STATE_FOREIGN_FORMAT'],
      [{ version: 2 }, 'STATE_UNKNOWN_VERSION'],
      [{ mode: undefined }, 'STATE_INCONSISTENT'],
      [{ mode: 'fast' }, 'STATE_INCONSISTENT'],
      [{ depth: [9] }, 'STATE_INCONSISTENT'],
      [{ depth: 4 }, 'STATE_INCONSISTENT'],
      [{ stopIds: undefined }, 'STATE_INCONSISTENT'],
      [{ rounds: [] }, 'STATE_INCONSISTENT'],
      [{ rounds: rounds.slice(0, 1) }, 'STATE_INCONSISTENT'],
      [{ rounds: [...rounds, 99] }, 'STATE_INCONSISTENT'],
      [{ rounds: [...rounds].reverse() }, 'STATE_INCONSISTENT'],
      [{ generator: undefined }, 'STATE_INCONSISTENT'],
      [{ generator: { ...state.generator, step: 3 } }, 'STATE_INCONSISTENT'],
    ] as const) {
      const refused = refusalOf(() =>
        SpeculativeGenerator.fromState(sampler, models(), wrong({ ...state, ...change })),
      );
      expect([change, refused.code]).toEqual([change, code]);
    }
    for (const [given, code] of [
      ['{', 'STATE_NOT_JSON'],
      [null, 'STATE_FOREIGN_FORMAT'],
      ['null', 'STATE_FOREIGN_FORMAT'],
      [5, 'STATE_FOREIGN_FORMAT'],
    ] as const) {
      expect(refusalOf(() => SpeculativeGenerator.fromState(sampler, models(), wrong(given))).code).toBe(code);
    }
  });
});

test.each([
  [{ mode: 'quick' }, 'INVALID_RUN', 'mode "quick"'],
  [{ depth: 0 }, 'INVALID_RUN', 'depth 0'],
  [{ depth: 6 }, 'INVALID_RUN', 'depth 6'],
  [{ depth: [] }, 'INVALID_RUN', 'an empty list as depth'],
  [{ depth: [1, 2.5] }, 'INVALID_RUN', 'depth 2.5'],
  [{ stopIds: 7 }, 'INVALID_RUN', 'stopIds 7'],
  [{ stopIds: [-1] }, 'INVALID_RUN', 'stopIds -1'],
  [{ temperature: -1 }, 'INVALID_TEMPERATURE', '-1'],
  [{ dept: 3 }, 'UNKNOWN_SETTING', '"dept"'],
])('the options %j are refused', (options, code, value) => {
  const refused = refusalOf(
    () => new SpeculativeGenerator(sampler, { target: toy, draft: near }, prompt, wrong(options)),
  );
  expect(refused).toMatchObject({ code, value });
});

test('an option that there is not is refused with all that there are', () => {
  const refused = refusalOf(
    () => new SpeculativeGenerator(sampler, { target: toy, draft: near }, prompt, wrong({ depht: 2 })),
  );
  expect(refused.message).toBe(
    'there is no setting "depht"; the settings are temperature, topK, topP, seed, audit, mode, depth, stopIds',
  );
});

test('models that are none are refused', () => {
  const one = refusalOf(() => new SpeculativeGenerator(sampler, wrong(toy), prompt));
  expect(one).toMatchObject({
    code: 'INVALID_MODEL',
    message: 'the models are a function; pass an object, such as { target, draft }',
  });
  for (const models of [{ target: 5, draft: near }, { target: toy, draft: null }, { target: toy }, undefined]) {
    expect(refusalOf(() => new SpeculativeGenerator(sampler, wrong(models), prompt)).code).toBe('INVALID_MODEL');
  }
});

describe('suffixLookup', () => {
  test.each([
    ['what came after the end before', [1, 2, 3, 9, 1, 2, 3], 9],
    ['the last time', [1, 2, 8, 5, 1, 2, 9, 7, 1, 2], 9],
    ['but the longest end first', [5, 1, 2, 8, 7, 1, 2, 9, 5, 1, 2], 8],
    ['also where the two overlap', [1, 1, 1], 1],
    ['nothing where nothing comes again', [1, 2, 3, 4], undefined],
    ['nothing for too short an end', [1, 2, 1], undefined],
    ['nothing of nothing', [], undefined],
  ])('guesses %s: of %j %s', (_, tokens, guess) => {
    expect(suffixLookup()(tokens)).toBe(guess);
  });

  test('looks for no longer and no shorter ends than it is told', () => {
    const text = [5, 1, 2, 8, 7, 1, 2, 9, 5, 1, 2];
    expect(suffixLookup({ longest: 2 })(text)).toBe(9);
    expect(suffixLookup({ shortest: 4 })(text)).toBeUndefined();
    expect(suffixLookup({ shortest: 1 })([1, 2, 1])).toBe(2);
  });

  test.each([{ longest: 0 }, { shortest: 1.5 }, { longest: '3' }, { shortest: 5, longest: 4 }])(
    'refuses %j',
    (options) => {
      expect(refusalOf(() => suffixLookup(wrong(options))).code).toBe('INVALID_RUN');
    },
  );
});
