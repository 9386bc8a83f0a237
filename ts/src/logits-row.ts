import type { Core } from './core.js';
import { describe, SamplerError } from './errors.js';
import { Owned } from './owned.js';

/**
 * A float32 row of logits in the sampler's own memory: a runtime that writes its logits there saves a copy. Made by
 * `new sampler.LogitsRow(vocabSize)`; dispose it when it is no longer needed.
 */
export class LogitsRow implements Disposable {
  /** The number of logits. */
  readonly size: number;
  readonly #core: Core;
  readonly #buffer: Owned<InstanceType<Core['module']['Buffer']>>;
  readonly #address: number;

  /** @internal */
  constructor(core: Core, size: number) {
    if (!Number.isSafeInteger(size) || size < 0) {
      throw new SamplerError('WRONG_LENGTH', { detail: `a row of ${describe(size)} logits cannot be made` });
    }
    const buffer = new core.module.Buffer();
    this.#core = core;
    this.#buffer = new Owned(buffer);
    this.#address = buffer.reserve(size * Float32Array.BYTES_PER_ELEMENT);
    this.size = size;
  }

  /**
   * The row: write to it, then pass it to the sampler as any other. Ask for it anew after each call or `await`: a view
   * that was kept loses its memory when the module needs more. Of length 0 once the row is disposed.
   */
  get view(): Float32Array {
    return new Float32Array(this.#core.memory, this.#address, this.#buffer.object ? this.size : 0);
  }

  /** Frees the row; may be called again. */
  dispose(): void {
    this.#buffer.free();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
