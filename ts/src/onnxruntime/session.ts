import { float16, int64, readGraph, sizes, type ElementType, type Graph } from './graph.js';
import { loadFailed } from './load-failed.js';
import type { ModelConfig } from './model-config.js';
import type { ModelFiles } from './model-files.js';
import { allocate, lastError, logFatalOnly, pointerSize, readPointers, type Runtime } from './runtime.js';

/** The keys and values of the first tokens of a text, in the runtime's memory: to be released. */
export interface Past {
  /** Of how many tokens. */
  readonly length: number;
  /** Handles, in the order of the graph's past inputs. */
  readonly tensors: readonly number[];
  /** Addresses to be freed after the tensors; what the runtime made frees itself. */
  readonly owned: readonly number[];
}

/** Logits as they leave the model: 16-bit floats as their bits, which the sampler takes as they are. */
export type ModelRow =
  Float32Array<ArrayBuffer> | { readonly type: 'float16'; readonly data: Uint16Array<ArrayBuffer> };

/** What evaluating some tokens gives. */
export interface Evaluation {
  /** The logits of the token after each of the last ones: as many as were asked for, or one where the model gives no more. */
  readonly rows: readonly ModelRow[];
  /** The keys and values of all tokens so far. */
  readonly present: Past;
}

// Numbers of the runtime's: the place of a tensor, the level of graph optimisation.
const inMemory = 1;
const allOptimizations = 99;

/**
 * A decoder in the layout of Optimum's exports, in a runtime of its own: `input_ids`, `attention_mask`, where wanted
 * `position_ids` and `num_logits_to_keep` (int64), and `past_key_values.N.key` and `.value` in, `logits` and
 * `present.N.key` and `.value` out, in float32 or float16. It ends with the runtime and its memory, which nobody else has.
 */
export class Session {
  readonly vocabSize: number;
  readonly #runtime: Runtime;
  readonly #handle: number;
  readonly #graph: Graph;
  readonly #runOptions: number;
  // Arrays of pointers, the arguments of a run.
  readonly #inputNames: number;
  readonly #inputs: number;
  readonly #outputNames: number;
  readonly #outputs: number;
  // The data of the inputs that are no past. Each run takes as much of the ones and of the positions as it needs.
  readonly #ids: number;
  readonly #ones: number;
  readonly #positions: number;
  /** Room for four pointers or lengths. */
  readonly #scratch: number;

  private constructor(runtime: Runtime, handle: number, graph: Graph, contextLength: number) {
    const { inputs, outputs } = graph;
    this.vocabSize = graph.vocabSize;
    this.#runtime = runtime;
    this.#handle = handle;
    this.#graph = graph;
    this.#runOptions = runtime._OrtCreateRunOptions(logFatalOnly, 0, false, 0);
    this.#inputNames = allocate(runtime, pointerSize * inputs.length);
    this.#inputs = allocate(runtime, pointerSize * inputs.length);
    this.#outputNames = allocate(runtime, pointerSize * outputs.length);
    this.#outputs = allocate(runtime, pointerSize * outputs.length);
    this.#ids = allocate(runtime, sizes[int64] * contextLength);
    this.#ones = allocate(runtime, sizes[int64] * contextLength);
    this.#positions = allocate(runtime, sizes[int64] * (contextLength + 1));
    this.#scratch = allocate(runtime, 4 * pointerSize);

    this.#setPointers(
      this.#inputNames,
      inputs.map(({ address }) => address),
    );
    this.#setPointers(
      this.#outputNames,
      outputs.map(({ address }) => address),
    );
    this.#int64s(this.#ones, contextLength).fill(1n);
    this.#int64s(this.#positions, contextLength + 1).set(
      Array.from({ length: contextLength + 1 }, (_, index) => BigInt(index)),
    );
  }

  /**
   * @throws SamplerError MODEL_LOAD_FAILED
   */
  static async create(
    runtime: Runtime,
    { model, modelName: name, data }: Pick<ModelFiles, 'model' | 'modelName' | 'data'>,
    config: ModelConfig,
  ): Promise<Session> {
    const options = runtime._OrtCreateSessionOptions(
      allOptimizations,
      false,
      false,
      0,
      false,
      0,
      0,
      logFatalOnly,
      0,
      0,
    );
    const address = allocate(runtime, model.length);
    runtime.HEAPU8.set(model, address);
    for (const { location, bytes } of data) runtime.mountExternalData(location, bytes);
    const handle = await runtime._OrtCreateSession(address, model.length, options);
    runtime.unmountExternalData();
    if (handle === 0) {
      throw loadFailed(
        `ONNX Runtime cannot open ${name} (${lastError(runtime)}; ${model.length} bytes, beginning with ` +
          `${beginning(model)}); see that it is an ONNX model and that all of it arrived`,
      );
    }
    runtime._free(address);
    runtime._OrtReleaseSessionOptions(options);
    return new Session(runtime, handle, readGraph(runtime, handle, name, config), config.contextLength);
  }

  /**
   * Evaluates at least one token, as coming after `past`, which stays as it is; with it no more than the context holds.
   * @param ends the tokens are evaluated in calls that end at these of them; left out, in one
   * @param count so many rows are wanted, at most one a token
   * @throws Error in the runtime's words; nothing has changed then
   */
  run(tokens: readonly number[], past: Past, ends: readonly number[] = [tokens.length], count = 1): Evaluation {
    const [first = tokens.length, ...others] = ends;
    const wanted = (end: number): number => end - (tokens.length - count); // of the first `end` tokens
    let begin = first;
    return others.reduce(
      (evaluation, end) => {
        try {
          const { rows, present } = this.#call(tokens.slice(begin, end), evaluation.present, wanted(end));
          return { rows: [...evaluation.rows, ...rows].slice(-count), present };
        } finally {
          this.release(evaluation.present);
          begin = end;
        }
      },
      this.#call(tokens.slice(0, first), past, wanted(first)),
    );
  }

  #call(tokens: readonly number[], past: Past, wanted: number): Evaluation {
    const count = Math.min(Math.max(wanted, 1), tokens.length);
    const { inputs, outputs, past: shapes } = this.#graph;
    const total = past.length + tokens.length;
    this.#int64s(this.#ids, tokens.length).set(tokens.map(BigInt));
    const own = inputs
      .slice(0, inputs.length - shapes.length)
      .map(({ name }) => this.#given(name, past.length, tokens.length, count));
    this.#setPointers(this.#inputs, [...own, ...past.tensors]);
    const unset = outputs.map(() => 0); // the runtime makes these tensors
    this.#setPointers(this.#outputs, unset);
    const status = this.#runtime._OrtRun(
      this.#handle,
      this.#inputNames,
      this.#inputs,
      inputs.length,
      this.#outputNames,
      outputs.length,
      this.#outputs,
      this.#runOptions,
    );
    own.forEach((tensor) => this.#runtime._OrtReleaseTensor(tensor));
    if (status !== 0) throw new Error(lastError(this.#runtime));

    const [logits = 0, ...tensors] = readPointers(this.#runtime, this.#outputs, outputs.length);
    const rows = this.#lastRows(logits, count);
    this.#runtime._OrtReleaseTensor(logits);
    return { rows, present: { length: total, tensors, owned: [] } };
  }

  /** The past of a text's first token. */
  begin(): Past {
    return this.#pastOf(
      this.#graph.past.map(() => allocate(this.#runtime, 0)),
      0,
    );
  }

  /**
   * The past of the first `length` tokens of another, which stays as it is. Beyond the end of that one, which is not empty
   * then, it begins again: no text's past, but one of that length.
   */
  resized(past: Past, length: number): Past {
    const copies = past.tensors.map((_, index) => {
      const { address, heads, tokenSize } = this.#place(past, index);
      const target = allocate(this.#runtime, heads * tokenSize * length);
      for (let head = 0; head < heads; head++) {
        const start = address + head * tokenSize * past.length;
        for (let done = 0; done < length; done += past.length) {
          const count = Math.min(past.length, length - done);
          const to = target + tokenSize * (head * length + done);
          this.#runtime.HEAPU8.copyWithin(to, start, start + tokenSize * count);
        }
      }
      return target;
    });
    return this.#pastOf(copies, length);
  }

  /** A copy of the keys and values of the tokens from the one at `start` on: tensor after tensor, head after head. */
  bytesOf(past: Past, start = 0): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#tokenSize() * (past.length - start));
    let end = 0;
    past.tensors.forEach((_, index) => {
      const { address, heads, tokenSize } = this.#place(past, index);
      for (let head = 0; head < heads; head++) {
        const from = address + tokenSize * (head * past.length + start);
        const to = from + tokenSize * (past.length - start);
        bytes.set(this.#runtime.HEAPU8.subarray(from, to), end);
        end += to - from;
      }
    });
    return bytes;
  }

  /** The past of so many tokens, of {@link bytesOf} all of it; undefined where the bytes are more or fewer. */
  pastOf(bytes: Uint8Array, length: number): Past | undefined {
    if (bytes.length !== this.#tokenSize() * length) return undefined;
    let end = 0;
    const copies = this.#graph.past.map(({ type, heads, headSize }) => {
      const part = bytes.subarray(end, (end += heads * headSize * sizes[type] * length));
      const address = allocate(this.#runtime, part.length);
      this.#runtime.HEAPU8.set(part, address);
      return address;
    });
    return this.#pastOf(copies, length);
  }

  /** The bytes of all keys and values of one token. */
  #tokenSize(): number {
    return this.#graph.past.reduce((sum, { type, heads, headSize }) => sum + heads * headSize * sizes[type], 0);
  }

  release({ tensors, owned }: Past): void {
    tensors.forEach((tensor) => this.#runtime._OrtReleaseTensor(tensor));
    owned.forEach((address) => {
      this.#runtime._free(address);
    });
  }

  #pastOf(owned: readonly number[], length: number): Past {
    const tensors = this.#graph.past.map(({ type, heads, headSize }, index) =>
      this.#tensor(type, owned[index] ?? 0, [1, heads, length, headSize]),
    );
    return { length, tensors, owned };
  }

  /** An input that is no past: for `count` tokens after `pastLength` others, of the last of which `rows` are wanted. */
  #given(name: string, pastLength: number, count: number, rows: number): number {
    switch (name) {
      case 'input_ids':
        return this.#tensor(int64, this.#ids, [1, count]);
      case 'attention_mask':
        return this.#tensor(int64, this.#ones, [1, pastLength + count]);
      case 'position_ids':
        return this.#tensor(int64, this.#positions + sizes[int64] * pastLength, [1, count]);
      case 'num_logits_to_keep':
        return this.#tensor(int64, this.#positions + sizes[int64] * rows, []);
      default:
        throw new RangeError(`nothing is known of the input "${name}"`);
    }
  }

  /** Where a tensor of keys or values is, its heads, each of which has all tokens, and the bytes of one token there. */
  #place(past: Past, index: number): { address: number; heads: number; tokenSize: number } {
    const shape = this.#graph.past[index];
    const { address, dims } = this.#read(past.tensors[index] ?? 0);
    const expected = [1, shape?.heads, past.length, shape?.headSize];
    if (shape === undefined || String(dims) !== String(expected)) {
      throw new Error(`its keys have the shape ${String(dims)}, not ${String(expected)}`);
    }
    return { address, heads: shape.heads, tokenSize: shape.headSize * sizes[shape.type] };
  }

  #lastRows(logits: number, count: number): ModelRow[] {
    const { vocabSize, logitsType } = this.#graph;
    const { address, dims } = this.#read(logits);
    const [, rows = 1] = dims; // of some models only the last comes out
    const { buffer } = this.#runtime.HEAPU8;
    return Array.from({ length: Math.min(count, rows) }, (_, index) => {
      const row = address + sizes[logitsType] * vocabSize * (rows - Math.min(count, rows) + index);
      return logitsType === float16
        ? { type: 'float16', data: new Uint16Array(buffer, row, vocabSize).slice() }
        : new Float32Array(buffer, row, vocabSize).slice();
    });
  }

  #tensor(type: ElementType, address: number, dims: readonly number[]): number {
    const size = dims.reduce((product, length) => product * length, sizes[type]);
    this.#setPointers(this.#scratch, dims);
    const tensor = this.#runtime._OrtCreateTensor(type, address, size, this.#scratch, dims.length, inMemory);
    if (tensor === 0) throw new Error(lastError(this.#runtime));
    return tensor;
  }

  #read(tensor: number): { readonly address: number; readonly dims: readonly number[] } {
    const at = this.#scratch;
    const status = this.#runtime._OrtGetTensorData(
      tensor,
      at,
      at + pointerSize,
      at + 2 * pointerSize,
      at + 3 * pointerSize,
    );
    if (status !== 0) throw new Error(lastError(this.#runtime));
    const [, address = 0, dims = 0, rank = 0] = readPointers(this.#runtime, at, 4);
    const result = { address, dims: readPointers(this.#runtime, dims, rank) };
    this.#runtime._OrtFree(dims);
    return result;
  }

  #int64s(address: number, length: number): BigInt64Array {
    return new BigInt64Array(this.#runtime.HEAPU8.buffer, address, length);
  }

  #setPointers(address: number, values: readonly number[]): void {
    values.forEach((value, index) => {
      this.#runtime.setValue(address + pointerSize * index, value, '*');
    });
  }
}

/** The first bytes of a file as text, where they are text: a web page, a pointer to a large file, a message. */
function beginning(bytes: Uint8Array): string {
  return JSON.stringify(new TextDecoder('latin1').decode(bytes.subarray(0, 40)));
}
