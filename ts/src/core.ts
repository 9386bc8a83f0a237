import { errorCodes, SamplerError } from './errors.js';
import { toRow } from './logits.js';
import { fitsMemory, noRoom, toNumbers, type Numbers } from './numbers.js';
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
    const { type, elements } = toRow(logits);
    const { buffer, byteOffset, byteLength, length: size } = elements;
    const dtype = this.module.Dtype[type].value;
    if (buffer === this.memory) return { address: byteOffset, size, dtype };
    const address = this.#row.reserve(byteLength);
    new Uint8Array(this.memory, address, byteLength).set(new Uint8Array(buffer, byteOffset, byteLength));
    return { address, size, dtype };
  }

  /** Numbers that stay while the memory grows; see {@link toNumbers}. */
  numbers(given: unknown, refusal: (value: string, index: number) => Error): Numbers | undefined {
    const numbers = toNumbers(given, refusal);
    return numbers?.buffer === this.memory ? numbers.slice() : numbers;
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
  #bytes = 0;

  constructor(buffer: Buffer) {
    this.#buffer = buffer;
  }

  reserve(bytes: number): number {
    if (!fitsMemory(bytes) || bytes > this.#bytes) {
      this.#bytes = 0; // should it fail, the old memory is gone
      this.#address = reserve(this.#buffer, bytes, `a row of ${bytes} bytes`);
      this.#bytes = bytes;
    }
    return this.#address;
  }
}

/** @internal The address of that many bytes; `what` names them should there be no room. */
export function reserve(buffer: Buffer, bytes: number, what: string): number {
  const address = fitsMemory(bytes) ? buffer.reserve(bytes) : 0;
  if (address === 0 && bytes !== 0) throw noRoom(what);
  return address;
}
