import { readLocalFile } from '../local-files.js';
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

/** Where a model's two files come from: a folder, or their bytes. */
export type ModelSource =
  | { readonly folder: string; readonly file: string }
  | { readonly config: Uint8Array<ArrayBuffer>; readonly model: Uint8Array<ArrayBuffer> };

/** The files of a model as they came. */
export interface ModelFiles {
  readonly config: Uint8Array<ArrayBuffer>;
  readonly model: Uint8Array<ArrayBuffer>;
  /** What messages call the model's file. */
  readonly modelName: string;
}

/** @throws SamplerError MODEL_LOAD_FAILED naming the file; whatever the signal gives as its reason when it aborts */
export async function readModelFiles(
  source: ModelSource,
  onProgress: (progress: LoadProgress) => void,
  signal?: AbortSignal,
): Promise<ModelFiles> {
  if (!('folder' in source)) return { ...source, modelName: 'the given model file' };
  const { folder, file } = source;
  const read = (name: string): Promise<Uint8Array<ArrayBuffer>> =>
    readFile(new URL(name, folder), name, onProgress, signal);
  const [config, model] = await Promise.all([read('config.json'), read(file)]);
  return { config, model, modelName: file };
}

async function readFile(
  url: URL,
  file: string,
  onProgress: (progress: LoadProgress) => void,
  signal: AbortSignal | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const bytes =
      url.protocol === 'file:' && readLocalFile !== undefined
        ? await readLocalFile(url)
        : await download(url, file, onProgress, signal);
    onProgress({ file, loaded: bytes.length, total: bytes.length });
    return bytes;
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
