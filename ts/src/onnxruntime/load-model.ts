import { startEvaluator } from '#evaluator';
import { describe, SamplerError } from '../errors.js';
import { pathToFileUrl } from '../local-files.js';
import { abortable } from './abortable.js';
import { chooseFiles } from './choose-files.js';
import { loadFailed, reasonOf } from './load-failed.js';
import type { FileContent, LoadProgress, ModelSource } from './model-files.js';
import type { ExecutionProvider } from './runtime.js';
import { createOnnxModel, type OnnxModel } from './onnx-model.js';

/** Where the model is, as a folder or as files, and how to load it. */
export type LoadModelOptions = {
  /**
   * What computes: `wasm`, the processor, everywhere the same numbers; or `webgpu`, the GPU, where the browser has one, whose
   * numbers are its own. Default `wasm`. There is no change from one to the other behind your back: without a GPU, `webgpu`
   * rejects.
   */
  readonly executionProvider?: ExecutionProvider | undefined;
  /**
   * The folder with ort-wasm-simd-threaded.wasm of onnxruntime-web; left out, where the bundler put it, or Node's. For
   * `webgpu`, which no bundler brings along, the folder with ort-wasm-simd-threaded.asyncify.mjs and .wasm: as Vite's
   * development server has it, node_modules/onnxruntime-web/dist.
   */
  readonly runtimeBaseUrl?: string | URL | undefined;
  /** Default 1. More need a cross-origin isolated page, and do not help a small model. */
  readonly threads?: number | undefined;
  /**
   * Whether the model is known to be invariant: what its `identity.invariant` said when it was loaded before. WebAssembly
   * computes the same on every machine, so that this holds wherever the files, the runtime and the number of threads are
   * the same; for WebGPU the GPU and its driver have to be too. Left out, a probe of a fraction of a second finds out.
   */
  readonly invariant?: boolean | undefined;
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
      /**
       * The name of a cache in the page's Cache Storage. The files that made a model are kept there and found again under
       * their addresses, so that the next visit needs no network, and none is asked: a page that wants to see a changed
       * file takes another address or another name, and `caches.delete(name)` frees the room. Without storage, or room in
       * it, the files are fetched each time. Left out, the browser's own cache decides.
       */
      readonly cache?: string | undefined;
    }
  | {
      readonly files: {
        readonly config: FileContent;
        readonly model: FileContent;
        /** Of a model that keeps weights in files beside its own, such as `model.onnx_data`: those, under their names. */
        readonly data?: Readonly<Record<string, FileContent>> | undefined;
      };
    }
  | {
      /** Of a folder that the user has chosen: config.json and the model are found by their names. */
      readonly files: Iterable<File>;
      /** The model's file among them. Default `model_quantized.onnx`, or the only `.onnx` file. */
      readonly file?: string | undefined;
    }
);

/**
 * Loads a decoder in the layout of Optimum's exports (with past) into ONNX Runtime: in a worker where there
 * are pages, in the process itself in Node.
 *
 * Rejects with a SamplerError: MODEL_LOAD_FAILED, whose message names the file and the remedy,
 * EXECUTION_PROVIDER_UNAVAILABLE for `webgpu` without a GPU, or ABORTED.
 */
export async function loadModel(options: LoadModelOptions): Promise<OnnxModel> {
  checkOptions(options);
  const { executionProvider = 'wasm', threads = 1, invariant, onProgress = () => undefined, signal } = options;
  if (!Number.isInteger(threads) || threads < 1) {
    throw loadFailed(`threads is ${describe(threads)}; use a whole number of 1 or more`);
  }
  if (!['wasm', 'webgpu'].includes(executionProvider)) {
    throw loadFailed(`executionProvider is ${describe(executionProvider)}; use 'wasm' or 'webgpu'`);
  }
  const aborted = (): Error => new SamplerError('ABORTED', { detail: 'loading the model', cause: signal?.reason });
  try {
    return createOnnxModel(
      await abortable(signal, aborted, async () => {
        const source = sourceOf(options);
        const runtimeBaseUrl = options.runtimeBaseUrl === undefined ? undefined : folder(options.runtimeBaseUrl);
        return startEvaluator({ source, runtimeBaseUrl, executionProvider, threads, invariant }, onProgress, signal);
      }),
    );
  } catch (thrown) {
    throw thrown instanceof SamplerError ? thrown : loadFailed(reasonOf(thrown), thrown);
  }
}

const ways =
  'use loadModel({ url }) with the folder of config.json, or loadModel({ files }) with { config, model } or a list of files';

function checkOptions(options: unknown): asserts options is object {
  if (typeof options === 'string' || options instanceof URL) {
    throw loadFailed(`the address ${describe(String(options))} stands alone; write loadModel({ url: … })`);
  }
  if (typeof options !== 'object' || options === null)
    throw loadFailed(`the options are ${describe(options)}; ${ways}`);
}

function sourceOf(options: LoadModelOptions): ModelSource {
  const { url, file, cache, files }: GivenSource = options;
  if (typeof url === 'string' || url instanceof URL) {
    return { folder: folder(url), file: file ?? 'onnx/model_quantized.onnx', cache };
  }
  if (url !== undefined) throw loadFailed(`url is ${describe(url)}; pass a string or a URL`);
  if (typeof files !== 'object' || files === null) throw loadFailed(`there is neither url nor files; ${ways}`);
  if (Symbol.iterator in files) return chooseFiles([...files], file);
  checkContent(files.config, 'config');
  checkContent(files.model, 'model');
  const { data = {} } = files;
  if (typeof data !== 'object' || data === null) {
    throw loadFailed(`files.data is ${describe(data)}; pass an object such as { 'model.onnx_data': content }`);
  }
  const beside = Object.entries(data).map(([name, content]): [string, FileContent] => {
    checkContent(content, `data["${name}"]`);
    return [name, content];
  });
  return {
    config: files.config,
    model: files.model,
    modelName: 'the given model file',
    beside: new Map(beside),
    remedy: 'pass it in files.data, under this name',
  };
}

/** Callers without types may have passed anything. */
interface GivenSource {
  readonly url?: unknown;
  readonly file?: string | undefined;
  readonly cache?: string | undefined;
  readonly files?:
    Iterable<File> | { readonly config?: unknown; readonly model?: unknown; readonly data?: unknown } | null;
}

function checkContent(content: unknown, name: string): asserts content is FileContent {
  // Not instanceof: a test runner's or a frame's are as good.
  if (content instanceof Blob || /^\[object (?:ArrayBuffer|Uint8Array)\]$/.test(tagOf(content))) return;
  throw loadFailed(`files.${name} is ${describe(content)}; pass a Uint8Array, an ArrayBuffer or a Blob`);
}

const tagOf = (value: unknown): string => Object.prototype.toString.call(value);

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
