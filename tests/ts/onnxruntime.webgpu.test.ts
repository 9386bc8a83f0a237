import { loadSampler, type Generator } from 'quillmate-sampler';
import { loadModel, type OnnxModel } from 'quillmate-sampler/onnxruntime';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { bitsOf, bundled, forgetTexts, someText } from './onnx-models.js';

// The GPU is made of one processor here: a token takes it a second when that has other work.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const sampler = await loadSampler();
const prompt = someText(3);
const settings = { seed: 7, temperature: 0.8, topP: 0.95, audit: 'full' } as const;
const count = 5;
const runtimeBaseUrl = '/node_modules/onnxruntime-web/dist/';

async function written(generator: Generator) {
  await generator.run({ maxTokens: prompt.length + count - generator.tokens.length });
  const state = generator.state();
  generator.dispose();
  return state;
}

describe('a model on a GPU', () => {
  let model: OnnxModel;
  let first: Awaited<ReturnType<typeof written>>;

  beforeAll(async () => {
    model = await loadModel({ url: bundled, executionProvider: 'webgpu', runtimeBaseUrl });
    first = await written(new sampler.Generator(model, prompt, settings));
  });
  afterAll(() => {
    model.dispose();
  });

  it('says so, and which one', () => {
    expect(model.identity).toMatchObject({ executionProvider: 'webgpu', gpu: 'google swiftshader', threads: '1' });
    expect(model.identity.invariant).toMatch(/^(yes|no)$/); // the probe has run, whatever it found
    expect(first.model).toEqual(model.identity);
  });

  it('writes a text again from the same rows', async () => {
    expect(await written(new sampler.Generator(model, prompt, settings))).toEqual(first);
  });

  it('goes on from a snapshot as if there had been no break', async () => {
    using interrupted = new sampler.Generator(model, prompt, settings);
    await interrupted.run({ maxTokens: 2 });
    const state = interrupted.state();
    const snapshot = await model.snapshot(state);
    expect(snapshot?.tokens).toEqual(state.tokens);
    await forgetTexts(model);
    expect(await model.restore(snapshot)).toBe(true);
    expect(await written(sampler.Generator.fromState(model, state))).toEqual(first);
  });

  it('gives a branch the same rows, whether or not it knows the text that it leaves', async () => {
    using text = sampler.Generator.fromState(model, first);
    const known = await written(text.branch(prompt.length + 2, { seed: 8 }));
    await forgetTexts(model);
    expect(await written(text.branch(prompt.length + 2, { seed: 8 }))).toEqual(known);
    expect(known.tokens.slice(0, prompt.length + 2)).toEqual(first.tokens.slice(0, prompt.length + 2));
  });

  it('is told from the processor: a replay names the first token whose row differs, and the provider', async () => {
    using processor = await loadModel({ url: bundled, invariant: true });
    const original = await written(new sampler.Generator(processor, prompt, settings));
    using replay = sampler.Generator.replay(model, original);
    await replay.run({ maxTokens: count });

    // Looked for without the audit.
    let token = prompt.length;
    const rowsAt = (length: number) =>
      Promise.all(
        [processor, model].map(async (model) =>
          bitsOf(await model(replay.tokens.slice(0, length), { promptLength: prompt.length })),
        ),
      );
    while (new Set(await rowsAt(token)).size === 1) ++token;
    expect(replay.mismatch).toMatchObject({ first: token, last: token });
    expect(replay.mismatch?.identityChanges).toEqual(
      expect.arrayContaining([
        { field: 'executionProvider', before: 'wasm', now: 'webgpu' },
        { field: 'gpu', before: undefined, now: 'google swiftshader' },
      ]),
    );
  });
});

it('loading a model for a GPU without saying where the runtime is names the file that is missing', async () => {
  await expect(loadModel({ url: bundled, executionProvider: 'webgpu' })).rejects.toMatchObject({
    code: 'MODEL_LOAD_FAILED',
    message: expect.stringContaining('ort-wasm-simd-threaded.asyncify.mjs') as string,
  });
});
