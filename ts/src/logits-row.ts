import { reserve, type Core } from './core.js';
import { describe, SamplerError } from './errors.js';
import type { HalfLogits } from './logits.js';
import { fitsMemory, noRoom, type ViewConstructor } from './numbers.js';
import { Owned } from './owned.js';

// A view alone keeps its row: else the garbage collector would free the memory under it.
const rows = new WeakMap<RowView, LogitsRow<RowView>>();

type RowView = Float32Array | Uint16Array;
type RowViewConstructor<View> = ViewConstructor<View> & { readonly BYTES_PER_ELEMENT: number };

/** What `sampler.LogitsRow` is. */
export interface LogitsRowConstructor {
  /** A row of `vocabSize` float32 logits. Throws a {@link SamplerError} WRONG_LENGTH where there is no room for it. */
  new (vocabSize: number, type?: 'float32'): LogitsRow;
  /** A row of 16-bit floats: their bits are written to its view, which is passed on as `{ type, data: row.view }`. */
  new (vocabSize: number, type: HalfLogits['type']): LogitsRow<Uint16Array>;
}

/**
 * A row of logits in the sampler's own memory: a runtime that writes its logits there saves a copy. Made by
 * `new sampler.LogitsRow(vocabSize)`; dispose it when it is no longer needed.
 */
export class LogitsRow<View extends RowView = Float32Array> implements Disposable {
  readonly #View: RowViewConstructor<View>;
  readonly #size: number;
  readonly #core: Core;
  readonly #buffer: Owned<InstanceType<Core['module']['Buffer']>>;
  readonly #address: number;

  /** @internal */
  constructor(core: Core, size: number, View: RowViewConstructor<View>) {
    if (!Number.isSafeInteger(size) || size < 0) {
      const detail = `a row of ${describe(size)} logits cannot be made`;
      throw new SamplerError('WRONG_LENGTH', { detail, message: `${detail}; use a whole number of 0 or more` });
    }
    const bytes = size * View.BYTES_PER_ELEMENT;
    const what = `a row of ${size} logits`;
    if (!fitsMemory(bytes)) throw noRoom(what);
    const buffer = new core.module.Buffer();
    this.#View = View;
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
  get view(): View {
    const view = new this.#View(this.#core.memory, this.#address, this.#buffer.object ? this.#size : 0);
    rows.set(view, this);
    return view;
  }

  /** Frees the row; may be called again. */
  dispose(): void {
    this.#buffer.free();
  }

  /** As {@link dispose}, for `using`. */
  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** @internal The class that makes rows in this module's memory. */
export function logitsRowOf(core: Core): LogitsRowConstructor {
  return class BoundLogitsRow extends LogitsRow<RowView> {
    constructor(vocabSize: number, type?: unknown) {
      super(core, vocabSize, viewOf(type));
    }
  } as LogitsRowConstructor;
}

function viewOf(type: unknown): RowViewConstructor<RowView> {
  switch (type) {
    case undefined:
    case 'float32':
      return Float32Array;
    case 'float16':
    case 'bfloat16':
      return Uint16Array;
    default:
      throw new SamplerError('INVALID_LOGITS', {
        value: `to be of type ${describe(type)}`,
        message: `the row's type is ${describe(type)}; use 'float32', 'float16' or 'bfloat16'`,
      });
  }
}
