import { describe, errorCodes, SamplerError } from './errors.js';
import { copyNumbers, isFloat32Array, isFloat64Array } from './numbers.js';
import type { Buffer, MainModule } from '../wasm/quillmate.mjs';

/**
 * A row in the module's memory.
 * @internal
 */
export interface Row {
  readonly address: number;
  /** In elements. */
  readonly size: number;
  readonly dtype: number;
}

/**
 * The WebAssembly module and its memory. Views of the memory are made where they are used, since growth detaches them.
 * @internal
 */
export class Core {
  readonly module: MainModule;
  readonly #memory: WebAssembly.Memory;
  readonly #row: Region;
  readonly #scratch: Region;

  constructor(module: MainModule, memory: WebAssembly.Memory) {
    this.module = module;
    this.#memory = memory;
    this.#row = new Region(new module.Buffer());
    this.#scratch = new Region(new module.Buffer());
  }

  /** The memory as it is now: not to be kept beyond the next call into the module. */
  get memory(): ArrayBuffer {
    return this.#memory.buffer;
  }

  /** Lays a row where the module can read it, until the next row; one that lies in the memory stays where it is. */
  place(logits: unknown): Row {
    const single = isFloat32Array(logits);
    if (!single && !isFloat64Array(logits) && !Array.isArray(logits)) {
      throw new SamplerError('INVALID_LOGITS', { value: describe(logits) });
    }
    const { float32, float64 } = this.module.Dtype;
    const dtype = (single ? float32 : float64).value;
    const size = logits.length;
    if (!Array.isArray(logits) && logits.buffer === this.memory) return { address: logits.byteOffset, size, dtype };
    const Numbers = single ? Float32Array : Float64Array;
    const address = this.#row.reserve(size * Numbers.BYTES_PER_ELEMENT);
    copyNumbers(logits, new Numbers(this.memory, address, size), (value, index) => {
      return new SamplerError('INVALID_LOGITS', { value: `an array with ${value} at ${index}`, index });
    });
    return { address, size, dtype };
  }

  /** Memory for whatever else a call needs, until the next call asks for some. */
  scratch(bytes: number): number {
    return this.#scratch.reserve(bytes);
  }

  /** A result of the module: a negative one stands for an error. */
  check(result: number): number {
    if (result < 0) throw this.failure();
    return result;
  }

  /** What the module refused last. */
  failure(): Error {
    const { module } = this;
    const code = errorCodes[module.errorCode() - 1];
    if (code === undefined)
      return new Error(`quillmate.wasm is of another version: it reports error ${module.errorCode()}`);
    const [index, row] = [module.errorIndex(), module.errorRow()];
    return new SamplerError(code, {
      index: index < 0 ? undefined : index,
      row: row < 0 ? undefined : row,
      value: module.errorValue() || undefined,
      detail: module.errorDetail() || undefined,
    });
  }
}

/** One of the module's buffers with its address kept here, so that a row costs no call to ask for it. */
class Region {
  readonly #buffer: Buffer;
  #address = 0;
  #bytes = -1;

  constructor(buffer: Buffer) {
    this.#buffer = buffer;
  }

  reserve(bytes: number): number {
    if (bytes > this.#bytes) {
      this.#address = this.#buffer.reserve(bytes);
      this.#bytes = bytes;
    }
    return this.#address;
  }
}
