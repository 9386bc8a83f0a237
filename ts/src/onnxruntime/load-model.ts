import { startEvaluator } from '#evaluator';
import { describe, SamplerError } from '../errors.js';
import { pathToFileUrl } from '../local-files.js';
import { abortable } from './abortable.js';
import { loadFailed, reasonOf } from './load-failed.js';
import type { LoadProgress, ModelSource } from './model-files.js';
import { createOnnxModel, type OnnxModel } from './onnx-model.js';

/** The content of a file. */
export type FileContent = Uint8Array<ArrayBuffer> | ArrayBuffer | Blob;

/** Where the model is, as a folder or as files, and how to load it. */
export type LoadModelOptions = {
  /** The folder with ort-wasm-simd-threaded.wasm of onnxruntime-web; left out, where the bundler put it, or Node's. */
  readonly runtimeBaseUrl?: string | URL | undefined;
  /** Default 1. More need a cross-origin isolated page, and do not help a small model. */
  readonly threads?: number | undefined;
  /** Told of each piece that arrives; the runtime's own file is not counted. */
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
  /** Gives the loading up. */
  readonly signal?: AbortSignal | undefined;
} & (
  | {
      /** The folder with config.json, as a URL; in Node a path too. */
      readonly url: string | URL;
      /** The model's file in it. Default `onnx/model_quantized.onnx`. */
      readonly file?: string | undefined;
    }
  | { readonly files: { readonly config: FileContent; readonly model: FileContent } }
);

/**
 * Loads a decoder in the layout of Optimum's exports (with past, in float32) into ONNX Runtime: in a worker where there
 * are pages, in the process itself in Node.
 *
 * Rejects with a SamplerError: MODEL_LOAD_FAILED, whose message names the file and the remedy, or ABORTED.
 */
export async function loadModel(options: LoadModelOptions): Promise<OnnxModel> {
  const { threads = 1, onProgress = () => undefined, signal } = options;
  if (!Number.isInteger(threads) || threads < 1) {
    throw loadFailed(`threads is ${describe(threads)}; use a whole number of 1 or more`);
  }
  const aborted = (): Error => new SamplerError('ABORTED', { detail: 'loading the model', cause: signal?.reason });
  try {
    return createOnnxModel(
      await abortable(signal, aborted, async () => {
        const source = await sourceOf(options);
        signal?.throwIfAborted();
        const runtimeBaseUrl = options.runtimeBaseUrl === undefined ? undefined : folder(options.runtimeBaseUrl);
        return startEvaluator({ source, runtimeBaseUrl, threads }, onProgress, signal);
      }),
    );
  } catch (thrown) {
    throw thrown instanceof SamplerError ? thrown : loadFailed(reasonOf(thrown), thrown);
  }
}

async function sourceOf(options: LoadModelOptions): Promise<ModelSource> {
  if ('url' in options) return { folder: folder(options.url), file: options.file ?? 'onnx/model_quantized.onnx' };
  const [config, model] = await Promise.all([bytes(options.files.config), bytes(options.files.model)]);
  return { config, model };
}

/** The folder's address in full, with the slash that makes it one. */
function folder(url: string | URL): string {
  const address = absolute(url).href;
  return address.endsWith('/') ? address : `${address}/`;
}

function absolute(url: string | URL): URL {
  if (url instanceof URL) return url;
  if (URL.canParse(url)) return new URL(url);
  if (pathToFileUrl !== undefined) return pathToFileUrl(url);
  return new URL(new Request(url).url); // relative to the page, or to the worker that asks
}

async function bytes(content: FileContent): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(content instanceof Blob ? await content.arrayBuffer() : content);
}
