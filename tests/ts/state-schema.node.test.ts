import { readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { loadSampler } from 'quillmate-sampler';
import { expect, test } from 'vitest';

interface Fixtures {
  readonly runs: readonly { readonly name: string; readonly freshState: object; readonly stateAfter7: object }[];
  readonly refusedStates: readonly { readonly name: string; readonly state: unknown }[];
}

const json = async (file: string): Promise<unknown> => JSON.parse(await readFile(file, 'utf8')) as unknown;
const fits = new Ajv2020({ strict: true }).compile((await json('docs/state.schema.json')) as object);
const { runs, refusedStates } = (await json('tests/fixtures/generator.json')) as Fixtures;

test('every golden state fits the schema', () => {
  expect(runs.length).toBeGreaterThan(0);
  for (const { name, freshState, stateAfter7 } of runs) {
    for (const state of [freshState, stateAfter7]) expect(fits(state) || fits.errors, name).toBe(true);
  }
});

test('so does what a generator writes, with any audit', async () => {
  const sampler = await loadSampler();
  const model = Object.assign(() => [0, 1, 2], { identity: { name: 'three' } });
  for (const audit of ['off', 'light', 'full'] as const) {
    using generator = new sampler.Generator(model, [1], { seed: 2n ** 64n - 1n, audit });
    expect(fits(generator.state()) || fits.errors).toBe(true);
    await generator.run({ maxTokens: 3 });
    expect(fits(generator.state()) || fits.errors).toBe(true);
  }
});

test('a state that is refused does not, unless its fields only do not fit one another', () => {
  const fitting = refusedStates.filter(({ state }) => fits(state)).map(({ name }) => name);
  expect(fitting).toEqual([
    'seed "18446744073709551616"', // which a pattern would say at great length
    'step 1 after two tokens',
    'step 3 after two tokens',
    'prompt length 2 of one',
    'prompt length 4 of one',
    'tokens [0, 5]',
    'tokens [0, 5, 3, 1]',
    'tokens [0, 8, 3]',
    'vocabulary size 5',
    'drawn tokens but no vocabulary size',
    'an audit with from 3',
    'an audit with chain "0123456789abcdef"',
    'an audit with rows []',
    'an audit with rows ["0123456789abcdef", "0123456789abcdef"]',
    'an audit that begins elsewhere than its rows',
    'an audit of no rows with a chain',
  ]);
});
