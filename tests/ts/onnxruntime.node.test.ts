import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import * as ort from 'onnxruntime-web/wasm';
import { loadModel, type LoadProgress, type SamplerError } from 'quillmate-sampler/onnxruntime';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runtimeVersion } from '../../ts/dist/onnxruntime/runtime.js';

const folder = fileURLToPath(new URL('../../web-demo/public/models/quill-tales', import.meta.url));
const modelFile = `${folder}/onnx/model_quantized.onnx`;
vi.setConfig({ testTimeout: 120_000 });

/** What onnxruntime-web's own session API says of a text. */
async function rowOfSession(tokens: readonly number[]): Promise<Float32Array> {
  ort.env.wasm.numThreads = 1;
  const session = await ort.InferenceSession.create(await readFile(modelFile));
  const int64s = (values: readonly number[]) =>
    new ort.Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length]);
  const past = session.inputNames
    .filter((name) => name.startsWith('past_key_values'))
    .map((name) => [name, new ort.Tensor('float32', new Float32Array(0), [1, 4, 0, 64])] as const);
  const { logits } = await session.run({
    input_ids: int64s(tokens),
    attention_mask: int64s(tokens.map(() => 1)),
    position_ids: int64s([...tokens.keys()]),
    ...Object.fromEntries(past),
  });
  await session.release();
  return (logits?.data as Float32Array).slice(-4096);
}

function answer(body: string, headers: Record<string, string> = {}, status = 200): () => Promise<Response> {
  return () => Promise.resolve(new Response(body, { status, headers }));
}

async function loadingError(onProgress?: (progress: LoadProgress) => void): Promise<string> {
  const error = await loadModel({ url: 'http://models.test/tales', onProgress }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: 'SamplerError', code: 'MODEL_LOAD_FAILED' });
  return (error as SamplerError).message;
}

describe('a model in Node', () => {
  it('gives the bits that the session API of onnxruntime-web gives', async () => {
    using model = await loadModel({ url: folder });
    const text = [0, 334, 1500, 2, 4095, 17];
    expect(await model(text)).toEqual(await rowOfSession(text));
  });

  it('is loaded from bytes and from a path', async () => {
    const config = new Uint8Array(await readFile(`${folder}/config.json`));
    const bytes = new Uint8Array(await readFile(modelFile));
    using fromBytes = await loadModel({ files: { config, model: bytes.buffer } });
    using fromPath = await loadModel({ url: `${folder}/`, file: 'onnx/model_quantized.onnx' });
    expect(fromBytes.identity).toEqual(fromPath.identity);
    expect(await fromBytes([0, 1])).toEqual(await fromPath([0, 1]));
  });

  it('takes over the memory of one that was disposed, which no engine would give back', async () => {
    const started = vi.spyOn(WebAssembly, 'instantiate');
    const text = [0, 334, 1500];
    const first = await loadModel({ url: folder });
    const row = await first(text);
    using other = await loadModel({ url: folder });
    const runtimes = started.mock.calls.length;
    const unheeded = first([...text, 2]);
    first.dispose();
    await expect(unheeded).rejects.toMatchObject({ code: 'MODEL_DISPOSED' });
    await expect(
      loadModel({ files: { config: await readFile(`${folder}/config.json`), model: new Uint8Array(9) } }),
    ).rejects.toThrow('9 bytes');
    using second = await loadModel({ url: folder });
    expect(started).toHaveBeenCalledTimes(runtimes);
    expect(await second(text)).toEqual(row);
    expect(await other(text)).toEqual(row);
    started.mockRestore();
  });

  it('says that a file was cut short', async () => {
    const config = new Uint8Array(await readFile(`${folder}/config.json`));
    const model = new Uint8Array(await readFile(modelFile)).slice(0, 1_000_000);
    await expect(loadModel({ files: { config, model } })).rejects.toThrow(
      /1000000 bytes.*see that it is an ONNX model and that all of it arrived/,
    );
  });

  it('knows the release of the runtime that is installed', () => {
    const main = createRequire(import.meta.url).resolve('onnxruntime-web');
    const { version } = createRequire(import.meta.url)(`${main.slice(0, main.lastIndexOf('/dist/'))}/package.json`) as {
      version: string;
    };
    expect(runtimeVersion).toBe(version);
  });
});

describe('a model from a server', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it('names the address that was not found', async () => {
    vi.stubGlobal('fetch', answer('', {}, 404));
    expect(await loadingError()).toMatch(
      'could not be read from http://models.test/tales/config.json (the server answers 404)',
    );
  });

  it('says that a web page came instead', async () => {
    vi.stubGlobal('fetch', answer('<!doctype html>', { 'content-type': 'text/html; charset=utf-8' }));
    expect(await loadingError()).toMatch('(the server answers with a web page)');
  });

  it('says that not all of a file came', async () => {
    vi.stubGlobal('fetch', answer('{"max', { 'content-length': '100' }));
    expect(await loadingError()).toMatch('(5 of 100 bytes arrived)');
  });

  it('tells how much of a file has come, and of how much where the server says so', async () => {
    const steps: LoadProgress[] = [];
    vi.stubGlobal('fetch', answer('1234567890', { 'content-length': '10' }));
    await loadingError((step) => steps.push(step));
    expect(steps).toContainEqual({ file: 'config.json', loaded: 10, total: 10 });
    vi.stubGlobal('fetch', answer('1234567890', { 'content-length': '7', 'content-encoding': 'gzip' }));
    await loadingError((step) => steps.push(step));
    expect(steps).toContainEqual({ file: 'config.json', loaded: 10, total: undefined });
  });
});
