import type startPlain from 'onnxruntime-web/ort-wasm-simd-threaded.mjs';
import { loadFailed, reasonOf } from './load-failed.js';

/** The release whose functions are described here; package.json asks for this one and no other. */
export const runtimeVersion = '1.30.0';

/**
 * ONNX Runtime's WebAssembly module: those of its functions that a {@link Session} calls. Addresses are byte offsets in
 * its memory. Functions that return a status return 0 for success; those that return a handle return 0 for failure.
 *
 * onnxruntime-web's own session API is not used, because it copies every tensor out of this memory and, a token later,
 * back into it. For the keys and values of a text that is megabytes of fresh arrays per token, which costs more than the
 * model itself: by far the most in Chromium, whose allocator hands out untouched pages. Here they stay where they are.
 */
export interface Runtime {
  /** Made anew when the memory grows: never keep it. */
  readonly HEAPU8: Uint8Array;
  getValue(address: number, type: '*'): number;
  setValue(address: number, value: number, type: '*'): void;
  UTF8ToString(address: number): string;
  /** Where a session that is made finds the files that its model refers to, by their paths there. */
  mountExternalData(path: string, bytes: Uint8Array): void;
  unmountExternalData(): void;
  _malloc(size: number): number;
  _free(address: number): void;

  _OrtInit(threads: number, logLevel: number): number;
  _OrtGetLastError(code: number, message: number): number;
  _OrtFree(address: number): number;
  _OrtCreateSessionOptions(
    graphOptimization: number,
    useArena: boolean,
    usePattern: boolean,
    executionMode: number,
    profile: boolean,
    profilePrefix: number,
    logId: number,
    logSeverity: number,
    logVerbosity: number,
    optimizedModelPath: number,
  ): number;
  _OrtReleaseSessionOptions(options: number): number;
  // A promise where it waits for a GPU, as the run below.
  _OrtCreateSession(model: number, size: number, options: number): number | Promise<number>;
  _OrtReleaseSession(session: number): number;
  _OrtGetInputOutputCount(session: number, inputs: number, outputs: number): number;
  _OrtGetInputOutputMetadata(session: number, index: number, name: number, metadata: number): number;
  _OrtCreateTensor(type: number, data: number, size: number, dims: number, rank: number, location: number): number;
  _OrtGetTensorData(tensor: number, type: number, data: number, dims: number, rank: number): number;
  _OrtReleaseTensor(tensor: number): number;
  _OrtCreateRunOptions(logSeverity: number, logVerbosity: number, terminate: boolean, tag: number): number;
  _OrtReleaseRunOptions(options: number): number;
  _OrtRun(
    session: number,
    inputNames: number,
    inputs: number,
    inputCount: number,
    outputNames: number,
    outputCount: number,
    outputs: number,
    options: number,
  ): number | Promise<number>;
}

/** What a model is computed with: the processor, through WebAssembly, or the GPU. */
export type ExecutionProvider = 'wasm' | 'webgpu';

/** A module of the runtime and how it runs. */
export interface RuntimeOptions {
  readonly executionProvider: ExecutionProvider;
  readonly threads: number;
  /** The folder with the runtime's own files; undefined for where the bundler or Node has them. */
  readonly baseUrl: string | undefined;
}

/** Errors are thrown, not written to the console. */
export const logFatalOnly = 4;

/**
 * Runtimes that nobody uses, under their options. An engine never gives back the memory of one: a promise that each of them
 * waits with, in Atomics.waitAsync, keeps it. So the next model of the process takes it over.
 */
const idle = new Map<string, Runtime[]>();

/**
 * A module with its own memory, for one model: to be given back with {@link keepRuntime}.
 * @throws SamplerError MODEL_LOAD_FAILED
 */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { executionProvider, threads, baseUrl } = options;
  const kept = idle.get(JSON.stringify(options))?.pop();
  if (kept !== undefined) return kept;
  const file = `${names[executionProvider]}.wasm`;
  try {
    const { default: start } = await modules[executionProvider](baseUrl);
    const runtime = (await start({
      numThreads: threads,
      ...(baseUrl !== undefined && { locateFile: (name) => new URL(name, baseUrl).href }),
    })) as Runtime;
    check(runtime, runtime._OrtInit(threads, logFatalOnly));
    return runtime;
  } catch (thrown) {
    const where = baseUrl === undefined ? '' : ` from ${new URL(file, baseUrl).href}`;
    throw loadFailed(
      `onnxruntime-web could not start ${file}${where} (${reasonOf(thrown)}); install onnxruntime-web ${runtimeVersion}, ` +
        `keep it out of pre-bundling, and serve the file as application/wasm or say with runtimeBaseUrl where it lies`,
      thrown,
    );
  }
}

/** For the next model: with nothing of the last one left in it. */
export function keepRuntime(options: RuntimeOptions, runtime: Runtime): void {
  const key = JSON.stringify(options);
  idle.set(key, [...(idle.get(key) ?? []), runtime]);
}

const names = { wasm: 'ort-wasm-simd-threaded', webgpu: 'ort-wasm-simd-threaded.asyncify' } as const;

interface RuntimeModule {
  readonly default: typeof startPlain;
}

// Not static imports: with several threads the module starts workers from its own address, and those must not run whatever
// it was bundled with.
const modules = {
  wasm: () => import('onnxruntime-web/ort-wasm-simd-threaded.mjs'),
  /** By its address, so that no bundler takes 27 megabytes along for all who do without. */
  async webgpu(baseUrl: string | undefined): Promise<RuntimeModule> {
    const file = `${names.webgpu}.mjs`;
    if (baseUrl === undefined) throw new Error(`runtimeBaseUrl does not say where ${file} lies`);
    return (await import(/* @vite-ignore */ /* webpackIgnore: true */ new URL(file, baseUrl).href)) as RuntimeModule;
  },
};

/** @throws Error in the runtime's words, unless the status of the call that has just returned is 0 */
export function check(runtime: Runtime, status: number): void {
  if (status !== 0) throw new Error(lastError(runtime));
}

/** What went wrong in the call that has just failed. */
export function lastError(runtime: Runtime): string {
  const scratch = runtime._malloc(2 * pointerSize);
  runtime._OrtGetLastError(scratch, scratch + pointerSize);
  const text = runtime.UTF8ToString(runtime.getValue(scratch + pointerSize, '*'));
  runtime._free(scratch);
  return text;
}

export const pointerSize = 4;

/** @throws Error when the memory cannot grow */
export function allocate(runtime: Runtime, size: number): number {
  const address = runtime._malloc(Math.max(size, 1));
  if (address === 0) throw new Error(`there is no memory for ${size} bytes more`);
  return address;
}

/** Consecutive addresses or lengths. */
export function readPointers(runtime: Runtime, address: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => runtime.getValue(address + pointerSize * index, '*'));
}
