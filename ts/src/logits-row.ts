import { reserve, type Core } from './core.js';
import { describe, SamplerError } from './errors.js';
import { fitsMemory, noRoom } from './numbers.js';
import { Owned } from './owned.js';

// A view alone keeps its row: else the garbage collector would free the memory under it.
const rows = new WeakMap<Float32Array, LogitsRow>();

/**
 * A float32 row of logits in the sampler's own memory: a runtime that writes its logits there saves a copy. Made by
 * `new sampler.LogitsRow(vocabSize)`; dispose it when it is no longer needed.
 */
export class LogitsRow implements Disposable {
  readonly #size: number;
  readonly #core: Core;
  readonly #buffer: Owned<InstanceType<Core['module']['Buffer']>>;
  readonly #address: number;

  /** @internal */
  constructor(core: Core, size: number) {
    if (!Number.isSafeInteger(size) || size < 0) {
      throw new SamplerError('WRONG_LENGTH', { detail: `a row of ${describe(size)} logits cannot be made` });
    }
    const bytes = size * Float32Array.BYTES_PER_ELEMENT;
    const what = `a row of ${size} logits`;
    if (!fitsMemory(bytes)) throw noRoom(what);
    const buffer = new core.module.Buffer();
    this.#core = core;
    this.#buffer = new Owned(buffer);
    this.#size = size;
    try {
      this.#address = reserve(buffer, bytes, what);
    } catch (error) {
      this.dispose();
      throw error;
    }
  }

  /** The number of logits. */
  get size(): number {
    return this.#size;
  }

  /**
   * The row: write to it, then pass it to the sampler as any other. Ask for it anew after each call or `await`: a view
   * that was kept loses its memory when the module needs more. Of length 0 once the row is disposed.
   */
  get view(): Float32Array {
    const view = new Float32Array(this.#core.memory, this.#address, this.#buffer.object ? this.#size : 0);
    rows.set(view, this);
    return view;
  }

  /** Frees the row; may be called again. */
  dispose(): void {
    this.#buffer.free();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
