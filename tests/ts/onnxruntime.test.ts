import { loadSampler } from 'quillmate-sampler';
import {
  loadModel,
  type LoadProgress,
  type ModelRow,
  type OnnxModel,
  SamplerError,
} from 'quillmate-sampler/onnxruntime';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { bitsOf, bundled, floats, forgetTexts, generatedAgain, someText } from './onnx-models.js';
import { wrong } from './refusal.js';

const url = bundled;
// Until an engine has optimised the runtime, it takes its time.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

async function afresh(model: OnnxModel, tokens: readonly number[]): Promise<ModelRow> {
  await forgetTexts(model);
  return model(tokens);
}

function rejection(promise: Promise<unknown>): Promise<SamplerError> {
  return promise.then(
    () => {
      throw new Error('it did not reject');
    },
    (error: unknown) => {
      expect(error).toBeInstanceOf(SamplerError);
      return error as SamplerError;
    },
  );
}

describe('a model in ONNX Runtime', () => {
  let model: OnnxModel;
  const progress: LoadProgress[] = [];

  beforeAll(async () => {
    model = await loadModel({ url, onProgress: (step) => progress.push(step) });
  });

  it('tells what it is and what decides its bits', () => {
    const { vocabSize, contextLength, eosTokenId } = model;
    expect({ vocabSize, contextLength, eosTokenId }).toEqual({ vocabSize: 4096, contextLength: 512, eosTokenId: 0 });
    expect(model.identity).toEqual({
      name: 'llama',
      configHash: 'sha256:e97e69427d9743811c0d774b0556c62e8fd548085c0b559a64c84c75a0e600b0',
      modelHash: 'sha256:0fa68ea3f516de58236633a5b9eb6010715159c80e1a9d0eefb31f7faf654ac1',
      runtime: 'onnxruntime-web',
      runtimeVersion: '1.30.0',
      executionProvider: 'wasm',
      threads: '1',
      invariant: 'yes',
    });
  });

  it('told how its files arrived', () => {
    const last = (file: string) => progress.filter((step) => step.file === file).at(-1);
    expect(last('config.json')).toEqual({ file: 'config.json', loaded: 623, total: 623 });
    expect(last('onnx/model_quantized.onnx')).toMatchObject({ loaded: 6_542_870, total: 6_542_870 });
  });

  it('returns a row of its own for each text and leaves the text as it was', async () => {
    const text = Object.freeze(someText(3));
    const first = floats(await model(text));
    const second = floats(await model(text));
    expect(first).toHaveLength(4096);
    expect(first.every(Number.isFinite)).toBe(true);
    expect(second).toEqual(first);
    expect(second.buffer).not.toBe(first.buffer);
  });

  it('gives the same bits token by token as in one go, past 256 tokens too', async () => {
    const text = someText(264);
    const lengths = [1, 2, 3, 8, 9, 64, 129, 255, 256, 257, 264];
    const rows = new Map<number, string>();
    for (let length = 1; length <= text.length; length++) rows.set(length, bitsOf(await model(text.slice(0, length))));
    for (const length of lengths) expect(bitsOf(await afresh(model, text.slice(0, length)))).toBe(rows.get(length));
  });

  it('gives the same bits however the text was divided', async () => {
    const text = someText(290, 1);
    const whole = bitsOf(await afresh(model, text));
    for (const ends of [
      [1, 290],
      [17, 18, 150, 289, 290],
      [100, 256, 290],
      [257, 290],
    ]) {
      await forgetTexts(model);
      let row = '';
      for (const end of ends) row = bitsOf(await model(text.slice(0, end)));
      expect(row).toBe(whole);
    }
  });

  it('gives several rows at once, to the bit those that it gives one by one', async () => {
    const text = someText(660, 12);
    // Beside the others: the first tokens, over 256 keys, across the places where the window moves, and a whole prompt.
    for (const [length, count] of [
      [1, 1],
      [6, 6],
      [9, 2],
      [40, 5],
      [258, 4],
      [512, 6],
      [514, 6],
      [641, 3],
      [64, 64],
    ] as const) {
      const alone: string[] = [];
      for (let end = length - count + 1; end <= length; end++) alone.push(bitsOf(await model(text.slice(0, end))));
      await forgetTexts(model);
      const rows = await model.rows!(text.slice(0, length), count);
      expect(rows.map(bitsOf)).toEqual(alone);
    }
  });

  it('goes on otherwise from a text whose end was a guess', async () => {
    const text = someText(80, 13);
    const alone: string[] = [];
    for (let length = 30; length <= 80; length++) alone.push(bitsOf(await model(text.slice(0, length))));
    await forgetTexts(model);
    for (let length = 30; length < 80; length += 2) {
      const guesses = [text[length]!, 4095, 4094]; // the first is right
      const [one, other] = await model.rows!([...text.slice(0, length), ...guesses], 4);
      expect([one, other].map((row) => bitsOf(row!))).toEqual(alone.slice(length - 30, length - 28));
    }
  });

  it('refuses a number of rows that the text does not have', async () => {
    for (const count of [0, 4, 1.5, NaN]) {
      expect(await rejection(model.rows!([0, 1, 2], count))).toMatchObject({ code: 'WRONG_LENGTH' });
    }
  });

  it('gives texts that take turns the rows that each gets alone', async () => {
    const texts = [someText(40, 2), someText(40, 3), [...someText(20, 2), ...someText(20, 4)]];
    const turns: string[][] = texts.map(() => []);
    for (let length = 1; length <= 40; length++) {
      await Promise.all(texts.map(async (text, i) => turns[i]?.push(bitsOf(await model(text.slice(0, length))))));
    }
    for (const [i, text] of texts.entries()) {
      await forgetTexts(model);
      for (let length = 1; length <= 40; length++) {
        expect(bitsOf(await model(text.slice(0, length)))).toBe(turns[i]?.[length - 1]);
      }
    }
  });

  it('goes back to an earlier place of a text', async () => {
    const text = someText(60, 5);
    const early = bitsOf(await afresh(model, text.slice(0, 33)));
    await model(text);
    expect(bitsOf(await model(text.slice(0, 33)))).toBe(early);
    const other = bitsOf(await model([...text.slice(0, 33), 7]));
    expect(bitsOf(await afresh(model, [...text.slice(0, 33), 7]))).toBe(other);
  });

  it('sees of a text longer than its context the last three quarters or more', async () => {
    const text = someText(660, 6);
    // 512 tokens fit; then the oldest 128 are dropped at a time.
    for (const [length, start] of [
      [512, 0],
      [513, 128],
      [640, 128],
      [641, 256],
    ] as const) {
      const row = bitsOf(await model(text.slice(0, length)));
      expect(bitsOf(await afresh(model, text.slice(start, length)))).toBe(row);
    }
    const steps: string[] = [];
    for (let length = 505; length <= 520; length++) steps.push(bitsOf(await model(text.slice(0, length))));
    for (const length of [511, 512, 513, 514, 520]) {
      expect(bitsOf(await afresh(model, text.slice(0, length)))).toBe(steps[length - 505]);
    }
  });

  it('writes the same text from the same rows when it is generated again, and again', async () => {
    const [first, ...others] = await generatedAgain(model);
    expect(first?.audit?.rows).toHaveLength(24);
    for (const other of others) expect(other).toEqual(first);
  });

  it('lets a generator go on after a break as if there had been none', async () => {
    const sampler = await loadSampler();
    const settings = { seed: 42, temperature: 0.8, topP: 0.95 };
    using straight = new sampler.Generator(model, [0], settings);
    for (let step = 0; step < 40; step++) await straight.step();

    using interrupted = new sampler.Generator(model, [0], settings);
    for (let step = 0; step < 7; step++) await interrupted.step();
    const saved = JSON.stringify(interrupted.state());
    await forgetTexts(model);
    using resumed = sampler.Generator.fromState(model, saved);
    while (resumed.tokens.length < straight.tokens.length) await resumed.step();
    expect(resumed.tokens).toEqual(straight.tokens);
    expect(resumed.state().model).toEqual(model.identity);
  });

  it('refuses what is no text of its tokens, and goes on', async () => {
    const row = await model([0, 1, 2]);
    for (const [bad, value] of [
      [4096, '4096'],
      [-1, '-1'],
      [1.5, '1.5'],
      [NaN, 'NaN'],
    ] as const) {
      expect(await rejection(model([0, bad]))).toMatchObject({ code: 'INVALID_TOKEN', index: 1, value });
    }
    expect(await rejection(model([]))).toMatchObject({ code: 'MODEL_FAILED' });
    expect(await model([0, 1, 2])).toEqual(row);
  });

  it('gives an evaluation up when its signal says so, waiting or under way', async () => {
    const controller = new AbortController();
    const before = model(someText(200, 7));
    const running = model(someText(200, 8), controller);
    const waiting = model(someText(200, 9), controller);
    controller.abort(new Error('enough'));
    for (const given of [running, waiting, model([0], controller)]) {
      expect(await rejection(given)).toMatchObject({ code: 'ABORTED', cause: new Error('enough') });
    }
    expect(bitsOf(await afresh(model, someText(200, 7)))).toBe(bitsOf(await before));
    expect(await model([0], { signal: new AbortController().signal })).toHaveLength(4096);
  });

  // The last: it is gone then.
  it('rejects what waits and what comes later when it is disposed', async () => {
    const asked = [model(someText(100, 10)), model(someText(100, 11)), model([0])];
    model.dispose();
    model.dispose();
    for (const given of [...asked, model([0])]) expect((await rejection(given)).code).toBe('MODEL_DISPOSED');
  });
});

describe('loading a model', () => {
  it('names the file that is missing', async () => {
    const error = await rejection(loadModel({ url: new URL('nowhere/', url) }));
    expect(error.code).toBe('MODEL_LOAD_FAILED');
    expect(error.message).toMatch(/config\.json|onnx\/model_quantized\.onnx/);
    expect(error.message).toContain(new URL('nowhere/', url).href);
  });

  it('says what is wrong with a file', async () => {
    const bytes = (text: string) => new TextEncoder().encode(text);
    const config = bytes('{"max_position_embeddings": 512}');
    for (const [files, message] of [
      [{ config: bytes('<!doctype html>'), model: bytes('') }, 'config.json is not valid JSON'],
      [{ config: bytes('{}'), model: bytes('') }, 'max_position_embeddings'],
      [{ config, model: new Blob(['<!doctype html>']) }, 'beginning with "<!doctype html>"'],
    ] as const) {
      const error = await rejection(loadModel({ files }));
      expect(error.code).toBe('MODEL_LOAD_FAILED');
      expect(error.message).toContain(message);
    }
  });

  it.each([
    [undefined, 'the options are undefined; use loadModel({ url }) with the folder of config.json'],
    [{}, 'there is neither url nor files; use loadModel({ url }) with the folder of config.json'],
    ['/models/tales', 'the address "/models/tales" stands alone; write loadModel({ url: … })'],
    [new URL('http://models.test/'), 'the address "http://models.test/" stands alone; write loadModel({ url: … })'],
    [{ url: 5 }, 'url is 5; pass a string or a URL'],
    [{ files: {} }, 'files.config is undefined; pass a Uint8Array, an ArrayBuffer or a Blob'],
    [{ files: { config: new Blob(), model: '7' } }, 'files.model is "7"; pass a Uint8Array, an ArrayBuffer or a Blob'],
  ])('says what is wrong with %j', async (options, fault) => {
    const error = await rejection(loadModel(wrong(options)));
    expect(error).toMatchObject({ code: 'MODEL_LOAD_FAILED' });
    expect(error.message).toContain(fault);
  });

  it('says where the runtime was looked for', async () => {
    const runtimeBaseUrl = new URL('nowhere/', url);
    const error = await rejection(loadModel({ url, runtimeBaseUrl }));
    expect(error.code).toBe('MODEL_LOAD_FAILED');
    expect(error.message).toContain(new URL('ort-wasm-simd-threaded.wasm', runtimeBaseUrl).href);
  });

  it('refuses a number of threads that is none', async () => {
    for (const threads of [0, 1.5, -1]) {
      expect(await rejection(loadModel({ url, threads }))).toMatchObject({ code: 'MODEL_LOAD_FAILED' });
    }
  });

  it('refuses an execution provider that it does not know', async () => {
    const error = await rejection(loadModel(wrong({ url, executionProvider: 'gpu' })));
    expect(error).toMatchObject({ code: 'MODEL_LOAD_FAILED' });
    expect(error.message).toContain("executionProvider is \"gpu\"; use 'wasm' or 'webgpu'");
  });

  // Neither Node nor a Chromium without a GPU has one; onnxruntime.webgpu.test.ts is for one that does.
  it('refuses WebGPU where there is none, and does not take anything else', async () => {
    const error = await rejection(loadModel({ url, executionProvider: 'webgpu' }));
    expect(error).toMatchObject({ code: 'EXECUTION_PROVIDER_UNAVAILABLE', value: "'webgpu'" });
    expect(error.message).toContain("use 'wasm'");
  });

  it('ends when its signal says so', async () => {
    const controller = new AbortController();
    const loading = rejection(loadModel({ url, signal: controller.signal }));
    controller.abort('enough');
    expect(await loading).toMatchObject({ code: 'ABORTED', cause: 'enough' });
    expect(await rejection(loadModel({ url, signal: AbortSignal.abort() }))).toMatchObject({ code: 'ABORTED' });
  });
});
