import { loadModel, type OnnxModel } from 'quillmate-sampler/onnxruntime';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { bitsOf, bundled } from './onnx-models.js';

vi.setConfig({ testTimeout: 60_000 });

const cache = 'models-of-the-tests';
const files = ['config.json', 'onnx/model_quantized.onnx'];
const address = (file: string) => `${bundled.href.replace(/\/$/, '')}/${file}`;
const load = (url: string | URL = bundled): Promise<OnnxModel> => loadModel({ url, cache });

beforeEach(() => caches.delete(cache));
afterEach(() => caches.delete(cache));

async function keptFiles(): Promise<string[]> {
  const requests = await (await caches.open(cache)).keys();
  return requests.map(({ url }) => url).sort();
}

it('keeps the files that made a model, and then needs no network', async () => {
  using first = await load();
  expect(await keptFiles()).toEqual(files.map(address));

  // Moved to an address that no server answers to: what comes from there comes from the cache.
  const kept = await caches.open(cache);
  const nowhere = 'http://models.test/tales/';
  for (const file of files) await kept.put(nowhere + file, (await kept.match(address(file)))!);
  using second = await load(nowhere);
  expect(second.identity).toEqual(first.identity);
  expect(bitsOf(await second([0, 1, 2]))).toBe(bitsOf(await first([0, 1, 2])));
});

it('forgets files that make no model, so that the next try fetches them', async () => {
  await (await caches.open(cache)).put(address(files[1]!), new Response('cut short'));
  await expect(load()).rejects.toThrow('beginning with "cut short"');
  expect(await keptFiles()).toEqual([]);
  using model = await load();
  expect(model.vocabSize).toBe(4096);
});
