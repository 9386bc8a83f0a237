// With the bundled model; npm run test:runtime has more prompts.
import { loadSampler } from 'quillmate-sampler';
import { loadModel, type OnnxModel } from 'quillmate-sampler/onnxruntime';
import { SpeculativeGenerator, suffixLookup } from 'quillmate-sampler/speculative';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { bundled, someText } from './onnx-models.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const sampler = await loadSampler();
const settings = { temperature: 0.8, topP: 0.95 };
let model: OnnxModel;

beforeAll(async () => {
  model = await loadModel({ url: bundled });
});
afterAll(() => {
  model.dispose();
});

test('in mode text, the text is the plain one, with the text itself or the model as the draft', async () => {
  for (const [seed, prompt] of [[0], [0, 300, 17], someText(40, 20), someText(250, 21), someText(505, 22)].entries()) {
    const plain = new sampler.Generator(model, prompt, { ...settings, seed, audit: 'light' });
    await plain.run({ maxTokens: 30 });
    for (const draft of [suffixLookup({ shortest: 1 }), model]) {
      const models = { target: model, draft };
      const generator = new SpeculativeGenerator(sampler, models, prompt, { ...settings, seed, audit: 'light' });
      await generator.run({ maxTokens: 30 });
      expect(generator.tokens).toEqual(plain.tokens);
      expect(generator.state().generator).toEqual(plain.state());
      if (draft === model) expect(generator.acceptance).toMatchObject({ rate: 1, evaluations: 6 });
    }
  }
});

test('in mode distribution, a text goes on from a state as without a break', async () => {
  const models = { target: model, draft: suffixLookup({ shortest: 1 }) };
  const options = { ...settings, seed: 3, mode: 'distribution', depth: [3, 0, 2] } as const;
  const straight = new SpeculativeGenerator(sampler, models, [0], options);
  await straight.run({ maxTokens: 40 });
  for (const place of [1, 10, 23]) {
    const first = new SpeculativeGenerator(sampler, models, [0], options);
    await first.run({ maxTokens: place });
    const resumed = SpeculativeGenerator.fromState(sampler, models, first.state());
    await resumed.run({ maxTokens: 40 - place });
    expect(resumed.tokens).toEqual(straight.tokens);
  }
});
