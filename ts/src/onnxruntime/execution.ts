import type { Runtime } from './runtime.js';

/** A session's handle, and the addresses of what it is run with. */
export interface RunArguments {
  readonly session: number;
  /** Of arrays of pointers. */
  readonly inputNames: number;
  readonly inputs: number;
  readonly inputCount: number;
  readonly outputNames: number;
  readonly outputs: number;
  readonly outputCount: number;
  readonly options: number;
}

/** How a session is run, and where it leaves the keys and values. */
export interface Execution {
  /** Takes the tensors of `inputs` and puts those that it makes into `outputs`; the first of them into the runtime's memory. */
  readonly run: () => number | Promise<number>;
  /** The content of another tensor that a run has made, of so many bytes; to be copied at once. */
  readonly read: (address: number, size: number) => Uint8Array | Promise<Uint8Array>;
}

/** On the processor: all tensors are in the runtime's memory. */
export function inMemory(runtime: Runtime, run: RunArguments): Execution {
  return {
    run: () =>
      runtime._OrtRun(
        run.session,
        run.inputNames,
        run.inputs,
        run.inputCount,
        run.outputNames,
        run.outputCount,
        run.outputs,
        run.options,
      ),
    read: reading(runtime),
  };
}

/** What is in the runtime's memory. */
export function reading(runtime: Runtime): (address: number, size: number) => Uint8Array {
  return (address, size) => runtime.HEAPU8.subarray(address, address + size);
}
