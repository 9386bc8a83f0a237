import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { loadSampler, type GeneratorState } from 'quillmate-sampler';
import { expect, test } from 'vitest';

const sampler = await loadSampler();

/** The model that both processes run; it uses nothing from outside. */
function model(tokens: readonly number[]): number[] {
  const hash = tokens.reduce((sum, token) => (sum * 31 + token + 1) % 9973, 7);
  return Array.from({ length: 64 }, (_, i) => ((hash * (i + 3)) % 101) / 12);
}

test('a generator saved after 7 tokens goes on in a new process with the same 15', async () => {
  const generator = new sampler.Generator(model, [1, 2, 3], { temperature: 1.1, topK: 30, topP: 0.97 });
  for (let i = 0; i < 7; ++i) await generator.step();
  const saved = JSON.stringify(generator.state());
  const expected: number[] = [];
  for (let i = 0; i < 15; ++i) expected.push(await generator.step());

  const script = `
    import { loadSampler } from 'quillmate-sampler';
    const sampler = await loadSampler();
    const generator = sampler.Generator.fromState(${model.toString()}, process.argv[1]);
    const drawn = [];
    for (let i = 0; i < 15; ++i) drawn.push(await generator.step());
    console.log(JSON.stringify({ drawn, state: generator.state() }));`;
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script, saved]);
  const { drawn, state } = JSON.parse(stdout) as { drawn: number[]; state: GeneratorState };
  expect(drawn).toEqual(expected);
  expect(state).toEqual(generator.state());
});
