import { float32, int64, readGraph, type Graph } from './graph.js';
import { loadFailed } from './load-failed.js';
import type { ModelConfig } from './model-config.js';
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

/** What evaluating some tokens gives. */
export interface Evaluation {
  /** The logits of the token that comes after the last one. */
  readonly row: Float32Array<ArrayBuffer>;
  /** The keys and values of all tokens so far. */
  readonly present: Past;
}

// Numbers of the runtime's: the place of a tensor, the level of graph optimisation.
const inMemory = 1;
const allOptimizations = 99;

const floatSize = 4;
const int64Size = 8;

/**
 * A decoder in the layout of Optimum's exports, in a runtime of its own: `input_ids`, `attention_mask`, where wanted
 * `position_ids` (int64) and `past_key_values.N.key` and `.value` (float32) in, `logits` and `present.N.key` and
 * `.value` out. It ends with the runtime and its memory, which nobody else has.
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
    this.#ids = allocate(runtime, int64Size * contextLength);
    this.#ones = allocate(runtime, int64Size * contextLength);
    this.#positions = allocate(runtime, int64Size * contextLength);
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
    this.#int64s(this.#positions, contextLength).set(
      Array.from({ length: contextLength }, (_, index) => BigInt(index)),
    );
  }

  /**
   * @param name what messages call the model's file
   * @throws SamplerError MODEL_LOAD_FAILED
   */
  static async create(runtime: Runtime, model: Uint8Array, name: string, config: ModelConfig): Promise<Session> {
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
    const handle = await runtime._OrtCreateSession(address, model.length, options);
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
   * @throws Error in the runtime's words; nothing has changed then
   */
  run(tokens: readonly number[], past: Past): Evaluation {
    const { inputs, outputs, pastCount } = this.#graph;
    const total = past.length + tokens.length;
    this.#int64s(this.#ids, tokens.length).set(tokens.map(BigInt));
    const own = [
      this.#tensor(int64, this.#ids, [1, tokens.length]),
      this.#tensor(int64, this.#ones, [1, total]),
      this.#tensor(int64, this.#positions + int64Size * past.length, [1, tokens.length]),
    ];
    this.#setPointers(this.#inputs, [...own.slice(0, inputs.length - pastCount), ...past.tensors]);
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
    const { address, dims } = this.#read(logits);
    const [, rows = 1] = dims; // of some models only the last comes out
    const last = address + floatSize * this.vocabSize * (rows - 1);
    const row = new Float32Array(this.#runtime.HEAPU8.buffer, last, this.vocabSize).slice();
    this.#runtime._OrtReleaseTensor(logits);
    return { row, present: { length: total, tensors, owned: [] } };
  }

  /** The past of a text's first token. */
  begin(): Past {
    const nothing = Array.from({ length: this.#graph.pastCount }, () => allocate(this.#runtime, 0));
    return this.#pastOf(nothing, 0);
  }

  /** The past of the first `length` tokens of a longer one, which stays as it is. */
  cut(past: Past, length: number): Past {
    const { heads, headSize } = this.#graph;
    const oldSize = floatSize * headSize * past.length;
    const newSize = floatSize * headSize * length;
    const copies = past.tensors.map((tensor) => {
      const target = allocate(this.#runtime, heads * newSize);
      const source = this.#read(tensor).address;
      for (let head = 0; head < heads; head++) {
        const start = source + head * oldSize;
        this.#runtime.HEAPU8.copyWithin(target + head * newSize, start, start + newSize);
      }
      return target;
    });
    return this.#pastOf(copies, length);
  }

  release({ tensors, owned }: Past): void {
    tensors.forEach((tensor) => this.#runtime._OrtReleaseTensor(tensor));
    owned.forEach((address) => {
      this.#runtime._free(address);
    });
  }

  #pastOf(owned: readonly number[], length: number): Past {
    const dims = [1, this.#graph.heads, length, this.#graph.headSize];
    return { length, tensors: owned.map((address) => this.#tensor(float32, address, dims)), owned };
  }

  #tensor(type: typeof float32 | typeof int64, address: number, dims: readonly number[]): number {
    const size = dims.reduce((product, length) => product * length, type === int64 ? int64Size : floatSize);
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
