import { inMemory, reading, type Execution, type RunArguments } from './execution.js';
import { float16, int64, readGraph, sizes, type ElementType, type Graph } from './graph.js';
import { loadFailed } from './load-failed.js';
import type { ModelConfig } from './model-config.js';
import type { ModelFiles } from './model-files.js';
import { allocate, check, lastError, logFatalOnly, pointerSize, readPointers, type Runtime } from './runtime.js';
import { appendGpu, isForGpu, onGpu } from './webgpu.js';

/** The keys and values of the first tokens of a text, where the runtime has them: to be released. */
export interface Past {
  /** Of how many tokens. */
  readonly length: number;
  /** Handles, in the order of the graph's past inputs. */
  readonly tensors: readonly number[];
  /** Addresses to be freed after the tensors, which are in memory then; what a run made frees itself. */
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
const locationInMemory = 1;
const allOptimizations = 99;

/**
 * A decoder in the layout of Optimum's exports, in a runtime of its own: `input_ids`, `attention_mask`, where wanted
 * `position_ids` and `num_logits_to_keep` (int64), and `past_key_values.N.key` and `.value` in, `logits` and
 * `present.N.key` and `.value` out, in float32 or float16.
 */
export class Session {
  readonly vocabSize: number;
  readonly #runtime: Runtime;
  readonly #graph: Graph;
  readonly #arguments: RunArguments;
  readonly #execution: Execution;
  // The data of the inputs that are no past. Each run takes as much of the ones and of the positions as it needs.
  readonly #ids: number;
  readonly #ones: number;
  readonly #positions: number;
  #sound = true;
  /** Room for four pointers or lengths. */
  readonly #scratch: number;

  private constructor(runtime: Runtime, handle: number, graph: Graph, contextLength: number) {
    const { inputs, outputs } = graph;
    this.vocabSize = graph.vocabSize;
    this.#runtime = runtime;
    this.#graph = graph;
    this.#arguments = {
      session: handle,
      inputNames: allocate(runtime, pointerSize * inputs.length),
      inputs: allocate(runtime, pointerSize * inputs.length),
      inputCount: inputs.length,
      outputNames: allocate(runtime, pointerSize * outputs.length),
      outputs: allocate(runtime, pointerSize * outputs.length),
      outputCount: outputs.length,
      options: runtime._OrtCreateRunOptions(logFatalOnly, 0, false, 0),
    };
    this.#execution = isForGpu(runtime) ? onGpu(runtime, this.#arguments) : inMemory(runtime, this.#arguments);
    this.#ids = allocate(runtime, sizes[int64] * contextLength);
    this.#ones = allocate(runtime, sizes[int64] * contextLength);
    this.#positions = allocate(runtime, sizes[int64] * (contextLength + 1));
    this.#scratch = allocate(runtime, 4 * pointerSize);

    this.#setPointers(
      this.#arguments.inputNames,
      inputs.map(({ address }) => address),
    );
    this.#setPointers(
      this.#arguments.outputNames,
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
    if (isForGpu(runtime)) await appendGpu(runtime, options);
    const address = allocate(runtime, model.length);
    runtime.HEAPU8.set(model, address);
    for (const { location, bytes } of data) runtime.mountExternalData(location, bytes);
    const handle = await runtime._OrtCreateSession(address, model.length, options);
    runtime.unmountExternalData();
    if (isForGpu(runtime)) runtime.webgpuOnCreateSession(handle);
    runtime._free(address);
    runtime._OrtReleaseSessionOptions(options);
    if (handle === 0) {
      throw loadFailed(
        `ONNX Runtime cannot open ${name} (${lastError(runtime)}; ${model.length} bytes, beginning with ` +
          `${beginning(model)}); see that it is an ONNX model and that all of it arrived`,
      );
    }
    try {
      return new Session(runtime, handle, readGraph(runtime, handle, name, config), config.contextLength);
    } catch (thrown) {
      runtime._OrtReleaseSession(handle);
      throw thrown;
    }
  }

  /**
   * Evaluates at least one token, as coming after `past`, which stays as it is; with it no more than the context holds.
   * @param ends the tokens are evaluated in calls that end at these of them; left out, in one
   * @param count so many rows are wanted, at most one a token
   * Rejects with an Error in the runtime's words; nothing has changed then. Until it is done, nothing else may be asked.
   */
  async run(
    tokens: readonly number[],
    past: Past,
    ends: readonly number[] = [tokens.length],
    count = 1,
  ): Promise<Evaluation> {
    let evaluation: Evaluation = { rows: [], present: past };
    let begin = 0;
    for (const end of ends) {
      const { rows: before, present: known } = evaluation;
      try {
        const { rows, present } = await this.#call(tokens.slice(begin, end), known, end - (tokens.length - count));
        evaluation = { rows: [...before, ...rows].slice(-count), present };
      } finally {
        if (known !== past) this.release(known);
      }
      begin = end;
    }
    return evaluation;
  }

  async #call(tokens: readonly number[], past: Past, wanted: number): Promise<Evaluation> {
    const count = Math.min(Math.max(wanted, 1), tokens.length);
    const { inputs, outputs, past: shapes } = this.#graph;
    const total = past.length + tokens.length;
    this.#int64s(this.#ids, tokens.length).set(tokens.map(BigInt));
    const own = inputs
      .slice(0, inputs.length - shapes.length)
      .map(({ name }) => this.#given(name, past.length, tokens.length, count));
    this.#setPointers(this.#arguments.inputs, [...own, ...past.tensors]);
    const unset = outputs.map(() => 0); // the runtime makes these tensors
    this.#setPointers(this.#arguments.outputs, unset);
    const status = await this.#running();
    own.forEach((tensor) => this.#runtime._OrtReleaseTensor(tensor));
    check(this.#runtime, status);

    const [logits = 0, ...tensors] = readPointers(this.#runtime, this.#arguments.outputs, outputs.length);
    const rows = this.#lastRows(logits, count);
    this.#runtime._OrtReleaseTensor(logits);
    return { rows, present: { length: total, tensors, owned: [] } };
  }

  async #running(): Promise<number> {
    try {
      return await this.#execution.run();
    } catch (trap) {
      this.#sound = false;
      throw trap;
    }
  }

  /** Whether the runtime is as it should be: it has not been stopped in the middle of something. */
  get sound(): boolean {
    return this.#sound;
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
  async resized(past: Past, length: number): Promise<Past> {
    // Before the contents are read: their arrays need not outlive what makes the memory grow.
    const copies = this.#graph.past.map(({ type, heads, headSize }) =>
      allocate(this.#runtime, heads * headSize * sizes[type] * length),
    );
    const contents = await this.#contents(past);
    const { HEAPU8: memory } = this.#runtime;
    contents.forEach(({ bytes, heads, tokenSize }, index) => {
      for (let head = 0; head < heads; head++) {
        const start = head * tokenSize * past.length;
        for (let done = 0; done < length; done += past.length) {
          const count = Math.min(past.length, length - done);
          const to = (copies[index] ?? 0) + tokenSize * (head * length + done);
          memory.set(bytes.subarray(start, start + tokenSize * count), to);
        }
      }
    });
    return this.#pastOf(copies, length);
  }

  /** A copy of the keys and values of the tokens from the one at `start` on: tensor after tensor, head after head. */
  async bytesOf(past: Past, start = 0): Promise<Uint8Array<ArrayBuffer>> {
    const contents = await this.#contents(past);
    const result = new Uint8Array(this.#tokenSize() * (past.length - start));
    let end = 0;
    for (const { bytes, heads, tokenSize } of contents) {
      for (let head = 0; head < heads; head++) {
        const part = bytes.subarray(tokenSize * (head * past.length + start), tokenSize * (head + 1) * past.length);
        result.set(part, end);
        end += part.length;
      }
    }
    return result;
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

  /** Frees what it has in the runtime; all pasts must have been released. */
  dispose(): void {
    const { session, inputNames, inputs, outputNames, outputs, options } = this.#arguments;
    for (const address of [inputNames, inputs, outputNames, outputs]) this.#runtime._free(address);
    for (const address of [this.#ids, this.#ones, this.#positions, this.#scratch]) this.#runtime._free(address);
    for (const { address } of [...this.#graph.inputs, ...this.#graph.outputs]) this.#runtime._OrtFree(address);
    this.#runtime._OrtReleaseRunOptions(options);
    this.#runtime._OrtReleaseSession(session);
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

  /** What is in the tensors of keys and values, to be copied at once: heads, each of which has all tokens. */
  async #contents(past: Past): Promise<readonly Content[]> {
    const read = past.owned.length > 0 ? reading(this.#runtime) : this.#execution.read;
    const contents = this.#graph.past.map(async ({ type, heads, headSize }, index) => {
      const { address, dims } = this.#read(past.tensors[index] ?? 0);
      const expected = [1, heads, past.length, headSize];
      if (String(dims) !== String(expected)) {
        throw new Error(`its keys have the shape ${String(dims)}, not ${String(expected)}`);
      }
      const tokenSize = headSize * sizes[type];
      return { bytes: await read(address, heads * tokenSize * past.length), heads, tokenSize };
    });
    return Promise.all(contents);
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
    const tensor = this.#runtime._OrtCreateTensor(type, address, size, this.#scratch, dims.length, locationInMemory);
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
    check(this.#runtime, status);
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

interface Content {
  readonly bytes: Uint8Array;
  readonly heads: number;
  /** The bytes of one token of one head. */
  readonly tokenSize: number;
}

/** The first bytes of a file as text, where they are text: a web page, a pointer to a large file, a message. */
function beginning(bytes: Uint8Array): string {
  return JSON.stringify(new TextDecoder('latin1').decode(bytes.subarray(0, 40)));
}
