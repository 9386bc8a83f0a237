import { toRow } from './logits.js';
import { fitsMemory, noRoom, toNumbers, type Numbers } from './numbers.js';
import { refusal } from './refusal.js';
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

interface Rows {
  /** In elements. */
  readonly length: number;
  readonly place: (begin: number, size: number) => Row;
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
    const { length, place } = this.rows(logits);
    return place(0, length);
  }

  /** Logits, read and checked, of which any part can be placed as a row, one at a time. */
  rows(logits: unknown): Rows {
    const { type, elements } = toRow(logits);
    const { buffer, byteOffset, BYTES_PER_ELEMENT: width, length } = elements;
    const dtype = this.module.Dtype[type].value;
    const inMemory = buffer === this.memory;
    const place = (begin: number, size: number): Row => {
      const [offset, bytes] = [byteOffset + begin * width, size * width];
      if (inMemory) return { address: offset, size, dtype };
      const address = this.#row.reserve(bytes);
      new Uint8Array(this.memory, address, bytes).set(new Uint8Array(buffer, offset, bytes));
      return { address, size, dtype };
    };
    return { length, place };
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

  /** A result of the module: a negative one stands for an error, in that row of a batch. */
  check(result: number, row?: number): number {
    if (result < 0) throw this.failure(row);
    return result;
  }

  /** What the module refused last. */
  failure(row?: number): Error {
    return refusal(this.module, row);
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
