import { SamplerError } from '../errors.js';
import type { Execution, RunArguments } from './execution.js';
import { allocate, check, readPointers, type Runtime } from './runtime.js';

/** What the runtime's build for WebGPU has beside the plain one's functions. */
export interface WebGpuRuntime extends Runtime {
  /** From now on, functions that wait for the GPU return promises. */
  asyncInit(): void;
  webgpuInit(setDefaultDevice: (device: object) => void): void;
  /** Says for which device the next session is; the default one, as none is given. */
  webgpuRegisterDevice(): void;
  webgpuOnCreateSession(session: number): void;
  webgpuGetBuffer(handle: number): object;
  webgpuCreateDownloader(buffer: object, size: number, session: number): () => Promise<ArrayBuffer>;
  _OrtAppendExecutionProvider(
    options: number,
    name: number,
    keys: number,
    values: number,
    count: number,
  ): number | Promise<number>;
  _OrtCreateBinding(session: number): number;
  _OrtClearBoundOutputs(binding: number): number;
  _OrtBindInput(binding: number, name: number, tensor: number): number | Promise<number>;
  _OrtBindOutput(binding: number, name: number, tensor: number, location: number): number;
  _OrtRunWithBinding(
    session: number,
    binding: number,
    outputCount: number,
    outputs: number,
    options: number,
  ): number | Promise<number>;
}

/** As much of WebGPU's own interface as is looked at. */
interface Gpu {
  requestAdapter(): Promise<{ readonly info?: { readonly vendor?: string; readonly architecture?: string } } | null>;
}

/**
 * What the browser calls the GPU, such as "google swiftshader": an empty text where it does not say.
 * @throws SamplerError EXECUTION_PROVIDER_UNAVAILABLE where there is none
 */
export async function findGpu(): Promise<string> {
  const { gpu } = (globalThis as { readonly navigator?: { readonly gpu?: Gpu } }).navigator ?? {};
  if (gpu === undefined) {
    throw unavailable('there is no WebGPU here (a page needs a browser that has it, and a secure context)');
  }
  const adapter = await gpu.requestAdapter();
  if (adapter === null) throw unavailable('the browser has WebGPU, but no GPU for it (chrome://gpu tells why)');
  return [adapter.info?.vendor, adapter.info?.architecture].filter(Boolean).join(' ');
}

/** @param why what is missing */
export function unavailable(why: string, cause?: unknown): SamplerError {
  return new SamplerError('EXECUTION_PROVIDER_UNAVAILABLE', {
    value: "'webgpu'",
    detail: `${why}; use 'wasm', which runs everywhere and makes other numbers`,
    cause,
  });
}

export function isForGpu(runtime: Runtime): runtime is WebGpuRuntime {
  return 'webgpuInit' in runtime;
}

/**
 * Has the session that is made next, with these options, run on the GPU, as far as there are kernels for its graph.
 * @throws Error in the runtime's words
 */
export async function appendGpu(runtime: WebGpuRuntime, options: number): Promise<void> {
  runtime.asyncInit();
  runtime.webgpuInit(() => undefined);
  runtime.webgpuRegisterDevice();
  const name = new TextEncoder().encode('WebGPU\0');
  const address = allocate(runtime, name.length);
  runtime.HEAPU8.set(name, address);
  check(runtime, await runtime._OrtAppendExecutionProvider(options, address, 0, 0, 0));
  runtime._free(address);
}

// Numbers of the runtime's: the place of a tensor.
const inMemory = 1;
const inGpuBuffer = 4;

/** On the GPU: the keys and values stay there from one run to the next. */
export function onGpu(runtime: WebGpuRuntime, run: RunArguments): Execution {
  const binding = runtime._OrtCreateBinding(run.session);
  return {
    async run() {
      const inputNames = readPointers(runtime, run.inputNames, run.inputCount);
      const inputs = readPointers(runtime, run.inputs, run.inputCount);
      for (const [index, name] of inputNames.entries()) {
        const status = await runtime._OrtBindInput(binding, name, inputs[index] ?? 0);
        if (status !== 0) return status;
      }
      runtime._OrtClearBoundOutputs(binding);
      for (const [index, name] of readPointers(runtime, run.outputNames, run.outputCount).entries()) {
        const status = runtime._OrtBindOutput(binding, name, 0, index === 0 ? inMemory : inGpuBuffer);
        if (status !== 0) return status;
      }
      return runtime._OrtRunWithBinding(run.session, binding, run.outputCount, run.outputs, run.options);
    },
    async read(address, size) {
      const download = runtime.webgpuCreateDownloader(runtime.webgpuGetBuffer(address), size, run.session);
      return new Uint8Array(await download());
    },
  };
}
