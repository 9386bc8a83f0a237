import { readLocalFile } from '../local-files.js';
import { dataLocations, type DataFile } from './external-data.js';
import { FileCache } from './file-cache.js';
import { loadFailed, reasonOf } from './load-failed.js';

/** How far the download of a file has come. */
export interface LoadProgress {
  /** Its path in the model's folder, such as `onnx/model_quantized.onnx`. */
  readonly file: string;
  /** Bytes that have arrived. */
  readonly loaded: number;
  /** Bytes in all; undefined where the server does not say. */
  readonly total: number | undefined;
}

/** The content of a file. */
export type FileContent = Uint8Array<ArrayBuffer> | ArrayBuffer | Blob;

/** Where a model's files come from: a folder, or what is in them. */
export type ModelSource =
  | {
      readonly folder: string;
      readonly file: string;
      /** The name of the cache that is asked before the network; undefined for none. */
      readonly cache: string | undefined;
    }
  | {
      readonly config: FileContent;
      readonly model: FileContent;
      readonly modelName: string;
      /** What lies beside the model, by its path from the model's folder. */
      readonly beside: ReadonlyMap<string, FileContent>;
      /** What to do where something that the model needs is not beside it. */
      readonly remedy: string;
    };

/** The files of a model as they came. */
export interface ModelFiles {
  readonly config: Uint8Array<ArrayBuffer>;
  readonly model: Uint8Array<ArrayBuffer>;
  /** What messages call the model's file. */
  readonly modelName: string;
  /** The files that the model refers to. */
  readonly data: readonly DataFile[];
  /** To be called when they have proved a model, or none: only what did is found in the cache the next time. */
  readonly settle: (usable: boolean) => Promise<void>;
}

/** @throws SamplerError MODEL_LOAD_FAILED naming the file; whatever the signal gives as its reason when it aborts */
export async function readModelFiles(
  source: ModelSource,
  onProgress: (progress: LoadProgress) => void,
  signal?: AbortSignal,
): Promise<ModelFiles> {
  if ('folder' in source) return readFolder(source, onProgress, signal);
  const { modelName, beside, remedy } = source;
  const [config, model] = await Promise.all([
    readContent(source.config, 'config.json'),
    readContent(source.model, modelName),
  ]);
  const data = dataLocations(model, modelName).map(async (location) => {
    const content = beside.get(location);
    if (content === undefined)
      throw loadFailed(`${location}, in which ${modelName} keeps weights, is missing; ${remedy}`);
    return { location, bytes: await readContent(content, location) };
  });
  return { config, model, modelName, data: await Promise.all(data), settle: () => Promise.resolve() };
}

async function readContent(content: FileContent, file: string): Promise<Uint8Array<ArrayBuffer>> {
  if (!(content instanceof Blob)) return new Uint8Array(content);
  try {
    return new Uint8Array(await content.arrayBuffer());
  } catch (thrown) {
    throw loadFailed(`${file} could not be read (${reasonOf(thrown)}); choose it again`, thrown);
  }
}

async function readFolder(
  { folder, file, cache: name }: Extract<ModelSource, { folder: string }>,
  onProgress: (progress: LoadProgress) => void,
  signal: AbortSignal | undefined,
): Promise<ModelFiles> {
  const cache = new FileCache(name);
  const read = async (name: string, url = new URL(name, folder)) => {
    const cached = await cache.read(url);
    const bytes = cached ?? (await readFile(url, name, onProgress, signal));
    onProgress({ file: name, loaded: bytes.length, total: bytes.length });
    const settle = async (usable: boolean): Promise<void> => {
      if (!usable) await cache.forget(url);
      else if (cached === undefined) await cache.keep(url, bytes);
    };
    return { bytes, settle };
  };
  const modelUrl = new URL(file, folder);
  const [config, { model, data }] = await Promise.all([
    read('config.json'),
    read(file, modelUrl).then(async (model) => {
      const data = dataLocations(model.bytes, file).map(async (location) => {
        const path = location.split('/').map(encodeURIComponent).join('/');
        return { location, ...(await read(file.replace(/[^/]*$/, '') + location, new URL(path, modelUrl))) };
      });
      return { model, data: await Promise.all(data) };
    }),
  ]);
  return {
    config: config.bytes,
    model: model.bytes,
    modelName: file,
    data,
    settle: async (usable) => {
      await Promise.all([config, model, ...data].map(({ settle }) => settle(usable)));
    },
  };
}

async function readFile(
  url: URL,
  file: string,
  onProgress: (progress: LoadProgress) => void,
  signal: AbortSignal | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await (url.protocol === 'file:' && readLocalFile !== undefined
      ? readLocalFile(url)
      : download(url, file, onProgress, signal));
  } catch (thrown) {
    signal?.throwIfAborted();
    throw loadFailed(
      `${file} could not be read from ${url.href} (${reasonOf(thrown)}); see that it lies there`,
      thrown,
    );
  }
}

async function download(
  url: URL,
  file: string,
  onProgress: (progress: LoadProgress) => void,
  signal: AbortSignal | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(url, signal === undefined ? {} : { signal });
  if (!response.ok || response.body === null) throw new Error(`the server answers ${response.status}`);
  if (response.headers.get('content-type')?.startsWith('text/html'))
    throw new Error('the server answers with a web page');

  const total = lengthOf(response);
  const chunks: Uint8Array[] = [];
  let loaded = 0;
  // A reader, since not every browser's streams can be iterated.
  const reader = response.body.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    chunks.push(read.value);
    loaded += read.value.length;
    onProgress({ file, loaded, total });
  }
  if (total !== undefined && loaded !== total) throw new Error(`${loaded} of ${total} bytes arrived`);

  const bytes = new Uint8Array(loaded);
  let end = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, end);
    end += chunk.length;
  }
  return bytes;
}

/** A compressed answer's length is not that of the file. */
function lengthOf({ headers }: Response): number | undefined {
  const length = headers.get('content-length');
  return length === null || headers.has('content-encoding') ? undefined : Number(length);
}
