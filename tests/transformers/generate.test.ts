import { loadSampler, type GeneratorState } from 'quillmate-sampler';
import { seededGeneration, type LogitsProcessor, type SeededRow } from 'quillmate-sampler/transformers';
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { AutoModelForCausalLM, AutoTokenizer, env, Tensor, type Inputs } from '@huggingface/transformers';
import { snippetsOf } from '../../scripts/snippets.mjs';

env.allowRemoteModels = false;
env.localModelPath = fileURLToPath(new URL('../../web-demo/public/models', import.meta.url));

const sampler = await loadSampler();
const model = await AutoModelForCausalLM.from_pretrained('quill-tales', { dtype: 'q8' });
const tokenizer = await AutoTokenizer.from_pretrained('quill-tales');
const inputs = tokenizer('<|endoftext|>Once upon a time there was a king');
const count = 30;

/** What generate writes, and the logits that the request was given for the first row. */
async function write(rows: SeededRow | SeededRow[], given: Inputs = inputs, more: object = {}) {
  const request = seededGeneration(sampler, rows);
  const seen: Float32Array[] = [];
  const watch: LogitsProcessor = (_, logits) => {
    seen.push((logits.data as Float32Array).slice(0, logits.dims.at(-1)));
    return logits;
  };
  const { logits_processor, ...options } = request.options;
  const output = await model.generate({
    ...given,
    max_new_tokens: count,
    ...options,
    logits_processor: [watch, ...logits_processor],
    ...more,
  });
  return { texts: output.tolist().map((ids) => ids.map(Number)), states: request.states(), seen };
}

const settings = { temperature: 0.8, topP: 0.95 };
const prompt = inputs.input_ids.tolist()[0]?.map(Number) ?? [];

test('generate writes the tokens that the rules define for its logits', async () => {
  const { texts, seen } = await write({ seed: 42, ...settings });
  const drawn = seen.map((row, step) => sampler.sampleToken(row, { ...settings, u: sampler.uniform(42, step) }));
  expect(drawn).toHaveLength(count);
  expect(texts).toEqual([[...prompt, ...drawn]]);
});

test('one seed writes one text, whatever was generated meanwhile, and a thousand seeds do not begin alike', async () => {
  const first = await write({ seed: 42, ...settings });
  const other = await write({ seed: 43, ...settings });
  const again = await write({ seed: 42, ...settings });
  expect(again.texts).toEqual(first.texts);
  expect(other.texts).not.toEqual(first.texts);
  const [row = []] = first.seen;
  const beginnings = new Set<number>();
  for (let seed = 0; seed < 1000; seed++) {
    beginnings.add(sampler.sampleToken(row, { ...settings, u: sampler.uniform(seed, 0) }));
  }
  const { ids, probabilities } = sampler.distribution(row, settings);
  const likely = ids.filter((_, i) => (probabilities[i] ?? 0) > 0.01);
  expect(likely.length).toBeGreaterThan(5);
  expect([...beginnings]).toEqual(expect.arrayContaining([...likely]));
});

test('top-p cuts, and temperature 0 is greedy', async () => {
  const narrow = { temperature: 2, topP: 0.01 };
  const { texts, seen } = await write({ seed: 42, ...narrow });
  texts[0]?.slice(prompt.length).forEach((token, step) => {
    expect(sampler.distribution(seen[step] ?? [], narrow).ids).toContain(token);
  });
  const greedy = await write({ temperature: 0 });
  const largest = greedy.seen.map((row) => row.indexOf(Math.max(...row)));
  expect(greedy.texts[0]?.slice(prompt.length)).toEqual(largest);
});

test('a request goes on from its state, in another call', async () => {
  const whole = await write({ seed: 42, ...settings });
  const half = await write({ seed: 42, ...settings }, inputs, { max_new_tokens: 12 });
  const [state] = half.states;
  expect(state?.tokens).toEqual(half.texts[0]);
  const tokens = inputsOf(half.texts[0] ?? []);
  const rest = await write({ state: JSON.stringify(state) }, tokens, { max_new_tokens: count - 12 });
  expect(rest.texts).toEqual(whole.texts);
});

test('the rows of a batch have their own seeds', async () => {
  const ids = inputsOf(prompt, prompt);
  const { texts } = await write(
    [
      { seed: 42, ...settings },
      { seed: 43, ...settings },
    ],
    ids,
  );
  const alone = await Promise.all([42, 43].map((seed) => write({ seed, ...settings })));
  expect(texts).toEqual(alone.flatMap((one) => one.texts));
});

test('the library’s own processors come first and count', async () => {
  const plain = await write({ seed: 42, temperature: 0 });
  const [first = 0] = plain.texts[0]?.slice(prompt.length) ?? [];
  const banned = await write({ seed: 42, temperature: 0 }, inputs, { suppress_tokens: [first] });
  expect(banned.texts[0]).not.toContain(first);
});

function inputsOf(...rows: number[][]): Inputs {
  const tensor = (numbers: number[]) =>
    new Tensor('int64', BigInt64Array.from(numbers, BigInt), [rows.length, rows[0]?.length ?? 0]);
  return { input_ids: tensor(rows.flat()), attention_mask: tensor(rows.flat().map(() => 1)) };
}

test("README.md's example writes a text and its state", async () => {
  const example = (await snippetsOf('README.md')).find(({ runner }) => runner === 'tests/transformers/generate.test.ts');
  const [, imports, body] = /^(import .*?;\n)\n(.*)$/s.exec(example?.code ?? '') ?? [];
  const folder = fileURLToPath(new URL('../../build/transformers/readme', import.meta.url));
  await mkdir(folder, { recursive: true });
  const file = `${folder}/example.mjs`;
  const code = `${imports}\nexport default async (sampler, model, inputs) => {\n${body}\nreturn { output, state };\n};\n`;
  await writeFile(file, code);
  type Written = { output: Tensor; state: GeneratorState };
  const { default: write } = (await import(file)) as { default: (...given: unknown[]) => Promise<Written> };
  const { output, state } = await write(sampler, model, inputs);
  expect(state.step).toBeGreaterThan(0);
  expect(output.tolist().map((ids) => ids.map(Number))).toEqual([state.tokens]);
});
