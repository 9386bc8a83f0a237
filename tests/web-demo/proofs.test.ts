import { loadSampler, type Model } from 'quillmate-sampler';
import { expect, it } from 'vitest';
import { prove } from '../../web-demo/src/explorer/proofs.js';
import type { Source } from '../../web-demo/src/explorer/source.js';

const sampler = await loadSampler();
const counting: Model = (tokens) => [0, 1, 2, 3].map((id) => (id === ((tokens.at(-1) ?? 0) + 1) % 4 ? 2 : 0));
const sourceOf = (model: Model): Source => ({
  sampler,
  model,
  vocabSize: 4,
  endIds: [],
  prompt: () => [],
  text: () => '',
  label: () => '',
});

async function verdicts(model: Model) {
  const generator = new sampler.Generator(counting, [1], { seed: '18446744073709551615', audit: 'full' });
  await generator.run({ maxTokens: 9 });
  const verdicts: [string, number, boolean][] = [];
  for await (const { way, drawn, equal } of prove(sourceOf(model), generator.state())) {
    verdicts.push([way, drawn, equal]);
  }
  return verdicts;
}

it('finds the text equal in all four ways', async () => {
  expect(await verdicts(counting)).toEqual([
    ['regenerated', 9, true],
    ['resumed', 9, true],
    ['batch', 9, true],
    ['scalar', 9, true],
  ]);
});

it('finds it different when the last bit of one logit is, even where no token changes', async () => {
  const other: Model = (tokens) => {
    const row = [...(counting(tokens, { promptLength: 1 }) as number[])];
    return tokens.length === 5 ? row.map((x) => (x === 2 ? 2 + 2 ** -51 : x)) : row;
  };
  expect((await verdicts(other)).map(([, , equal]) => equal)).toEqual([false, false, false, false]);
});
