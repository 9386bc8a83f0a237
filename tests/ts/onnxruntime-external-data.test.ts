import { loadModel, type FileContent, type LoadProgress, type SamplerError } from 'quillmate-sampler/onnxruntime';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { dataLocations } from '../../ts/dist/onnxruntime/external-data.js';
import { withExternalData, type WithExternalData } from './onnx-file.js';
import { bitsOf, bundled, bundledFile, someText } from './onnx-models.js';

// Until an engine has optimised the runtime, it takes its time.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const tokens = someText(40);
let config: Uint8Array<ArrayBuffer>;
let parted: WithExternalData;
let row: string;

beforeAll(async () => {
  config = await bundledFile('config.json');
  parted = withExternalData(await bundledFile('onnx/model_quantized.onnx'), [
    'weights.onnx_data',
    'weights.onnx_data_1',
  ]);
  using whole = await loadModel({ url: bundled, invariant: true });
  row = bitsOf(await whole(tokens));
});

async function refusal(loading: Promise<unknown>): Promise<string> {
  const error = (await loading.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )) as SamplerError | undefined;
  expect(error).toMatchObject({ name: 'SamplerError', code: 'MODEL_LOAD_FAILED' });
  return error!.message;
}

describe('the bundled model with its weights in files beside it', () => {
  it('has next to nothing in its own', () => {
    expect(parted.model.length).toBeLessThan(100_000);
    for (const data of Object.values(parted.data)) expect(data.length).toBeGreaterThan(1_000_000);
  });

  it('is loaded from bytes, with the bits that it has in one file', async () => {
    using model = await loadModel({ files: { config, ...parted } });
    expect(bitsOf(await model(tokens))).toBe(row);
    expect(model.identity).toMatchObject({
      dataHash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string,
      invariant: 'yes',
    });
  });

  it('is another model when one weight in such a file is another', async () => {
    const changed = parted.data['weights.onnx_data_1']!.slice();
    changed[changed.length / 2]! ^= 1;
    const load = (data: Readonly<Record<string, FileContent>>) =>
      loadModel({ files: { config, model: parted.model, data }, invariant: true });
    using model = await load(parted.data);
    using other = await load({ ...parted.data, 'weights.onnx_data_1': changed });
    expect(bitsOf(await other(tokens))).not.toBe(row);
    expect(other.identity).toEqual({ ...model.identity, dataHash: other.identity.dataHash });
    expect(other.identity.dataHash).not.toBe(model.identity.dataHash);
  });

  const chosen = (bytes: Uint8Array<ArrayBuffer>, path: string): File =>
    Object.defineProperty(new File([bytes], path.replace(/.*\//, '')), 'webkitRelativePath', { value: path });

  it('is found among the files of a folder, each beside its model', async () => {
    const files = [
      chosen(config, 'tales/config.json'),
      chosen(parted.model, 'tales/onnx/model_quantized.onnx'),
      ...Object.entries(parted.data).flatMap(([name, bytes]) => [
        chosen(Uint8Array.of(1), `tales/${name}`),
        chosen(bytes, `tales/onnx/${name}`),
      ]),
    ];
    using model = await loadModel({ files, invariant: true });
    expect(bitsOf(await model(tokens))).toBe(row);
    expect(await refusal(loadModel({ files: files.slice(0, -1) }))).toContain(
      'weights.onnx_data_1, in which tales/onnx/model_quantized.onnx keeps weights, is missing; add it to the files',
    );
  });

  it('names the file that is missing from the bytes, and says what is wrong with others', async () => {
    expect(await refusal(loadModel({ files: { config, model: parted.model } }))).toContain(
      'weights.onnx_data, in which the given model file keeps weights, is missing; pass it in files.data, under this name',
    );
    const data = { ...parted.data, 'weights.onnx_data': parted.data['weights.onnx_data']!.slice(0, 1000) };
    expect(await refusal(loadModel({ files: { config, model: parted.model, data } }))).toMatch(
      /cannot open the given model file \(.*weights\.onnx_data/,
    );
    const wrong = { 'weights.onnx_data': 5 } as unknown as Record<string, FileContent>;
    expect(await refusal(loadModel({ files: { config, model: parted.model, data: wrong } }))).toContain(
      'files.data["weights.onnx_data"] is 5; pass a Uint8Array, an ArrayBuffer or a Blob',
    );
  });

  describe('at an address', () => {
    // Where there is a Cache Storage no server is needed; in Node a folder does.
    let url: string;
    let cache: string | undefined;
    let remove: (name: string) => Promise<unknown>;

    beforeAll(async () => {
      const content = new Map([
        ['config.json', config],
        ['onnx/weights.onnx', parted.model],
      ]);
      for (const [name, bytes] of Object.entries(parted.data)) content.set(`onnx/${name}`, bytes);
      if ('caches' in globalThis) {
        cache = 'models-with-external-data';
        await caches.delete(cache);
        const files = await caches.open(cache);
        url = `${location.origin}/nowhere/tales/`;
        for (const [name, bytes] of content) await files.put(url + name, new Response(bytes));
        remove = (name) => files.delete(url + name);
      } else {
        const { mkdir, mkdtemp, rm, writeFile } = await import('node:fs/promises');
        const { tmpdir } = await import('node:os');
        url = await mkdtemp(`${tmpdir()}/quillmate-tales-`);
        await mkdir(`${url}/onnx`);
        for (const [name, bytes] of content) await writeFile(`${url}/${name}`, bytes);
        remove = (name) => rm(`${url}/${name}`, { recursive: true });
      }
    });
    afterAll(() => (cache === undefined ? remove('') : caches.delete(cache)));

    it('is loaded, and tells how each file arrives', async () => {
      const steps: LoadProgress[] = [];
      const load = {
        url,
        file: 'onnx/weights.onnx',
        cache,
        invariant: true,
        onProgress: (step: LoadProgress) => steps.push(step),
      };
      using model = await loadModel(load);
      expect(bitsOf(await model(tokens))).toBe(row);
      for (const [name, { length }] of Object.entries(parted.data))
        expect(steps).toContainEqual({ file: `onnx/${name}`, loaded: length, total: length });
    });

    it('names the file that is not there', async () => {
      await remove('onnx/weights.onnx_data_1');
      const message = await refusal(loadModel({ url, file: 'onnx/weights.onnx', cache }));
      expect(message).toMatch(/onnx\/weights\.onnx_data_1 could not be read from \S+\/onnx\/weights\.onnx_data_1 /);
    });
  });
});

describe('the files that a model refers to', () => {
  it.each([
    '../weights',
    '/etc/weights',
    'a/../../weights',
    'http://elsewhere.test/weights',
    'C:\\weights',
    '\\weights',
  ])('are not looked for outside its folder: %s', async (location) => {
    const { model } = withExternalData(await bundledFile('onnx/model_quantized.onnx'), [location]);
    expect(await refusal(loadModel({ files: { config, model, data: { [location]: new Blob() } } }))).toContain(
      `keeps weights in "${location}", which is not in its folder`,
    );
  });

  it('are none where there is no model', () => {
    for (const bytes of [[], [1], [0xff, 0xff], [...new TextEncoder().encode('<!doctype html>')]])
      expect(dataLocations(Uint8Array.from(bytes), 'model')).toEqual([]);
  });

  it('may lie in folders of its folder', async () => {
    const model = await bundledFile('onnx/model_quantized.onnx');
    const locations = ['data/a b.bin', './c.bin'];
    expect(dataLocations(withExternalData(model, locations).model, 'model')).toEqual(['data/a b.bin', 'c.bin']);
    expect(dataLocations(model, 'model')).toEqual([]);
  });
});
