import { loadFailed } from './load-failed.js';
import type { ModelConfig } from './model-config.js';
import { allocate, lastError, pointerSize, readPointers, type Runtime } from './runtime.js';

// Element types, as ONNX numbers them.
export const float32 = 1;
export const int64 = 7;
export const float16 = 10;

/** The bytes of one element. */
export const sizes = { [float32]: 4, [int64]: 8, [float16]: 2 } as const;
export type ElementType = keyof typeof sizes;
export type FloatType = typeof float32 | typeof float16;

/** An input or output of the graph. */
export interface Port {
  readonly name: string;
  /** Of the name, where the runtime has it. */
  readonly address: number;
  readonly type: number;
  /** Undefined: known only when it is run. */
  readonly dims: readonly (number | undefined)[];
}

/** Of one tensor of keys or values: it has one batch, so many heads, a token each, and so many numbers for each. */
export interface PastShape {
  readonly type: FloatType;
  readonly heads: number;
  readonly headSize: number;
}

/** What a run passes and gets, in this order: the past is the end of the inputs, the present that of the outputs. */
export interface Graph {
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
  readonly past: readonly PastShape[];
  readonly logitsType: FloatType;
  readonly vocabSize: number;
}

/**
 * Reads what a session's graph takes and gives; where it leaves a length open, config.json tells it.
 * @param name what messages call the model's file
 * @throws SamplerError MODEL_LOAD_FAILED for any other graph than a decoder with past
 */
export function readGraph(runtime: Runtime, session: number, name: string, config: ModelConfig): Graph {
  const ports = readPorts(runtime, session);
  const take = <Type extends ElementType>(side: 'inputs' | 'outputs', wanted: string, types: readonly Type[]) => {
    const port = ports[side].find((port) => port.name === wanted);
    if (port === undefined) throw unfit(name, `it has no "${wanted}" among its ${side}`);
    const type = types.find((type) => type === port.type);
    if (type === undefined)
      throw unfit(name, `its "${wanted}" has the element type ${port.type}, not ${types.join(' or ')}`);
    return { ...port, type };
  };
  const known = <T>(value: T | undefined, what: string): T => {
    if (value === undefined) throw loadFailed(`neither ${name} nor config.json tells ${what}; add it to config.json`);
    return value;
  };
  const past = ports.inputs
    .filter((port) => port.name.startsWith('past_key_values.'))
    .map((port) => take('inputs', port.name, floats));
  if (past.length === 0) throw unfit(name, 'it has no "past_key_values.N.key" and ".value" among its inputs');
  const optional = ['position_ids', 'num_logits_to_keep'].filter((wanted) =>
    ports.inputs.some((port) => port.name === wanted),
  );
  const inputs = [
    ...['input_ids', 'attention_mask', ...optional].map((wanted) => take('inputs', wanted, [int64])),
    ...past,
  ];
  const unknown = ports.inputs.find(({ name }) => !inputs.some((port) => port.name === name));
  if (unknown !== undefined) throw unfit(name, `nothing is known of its input "${unknown.name}"`);
  const logits = take('outputs', 'logits', floats);
  return {
    inputs,
    outputs: [
      logits,
      ...past.map((port) => take('outputs', port.name.replace('past_key_values', 'present'), [port.type])),
    ],
    past: past.map(({ name: input, type, dims }) => {
      if (dims.length !== 4) throw unfit(name, `its "${input}" has ${dims.length} dimensions, not 4`);
      return {
        type,
        heads: known(dims[1] ?? config.heads, 'the number of key and value heads ("num_key_value_heads")'),
        headSize: known(dims[3] ?? config.headSize, 'the size of a head ("head_dim")'),
      };
    }),
    logitsType: logits.type,
    vocabSize: known(logits.dims[2] ?? config.vocabSize, 'the size of the vocabulary ("vocab_size")'),
  };
}

const floats = [float32, float16] as const;

function readPorts(runtime: Runtime, session: number): { inputs: readonly Port[]; outputs: readonly Port[] } {
  const check = (status: number): void => {
    if (status !== 0) throw loadFailed(lastError(runtime));
  };
  const scratch = allocate(runtime, 2 * pointerSize);
  const pair = (): readonly number[] => readPointers(runtime, scratch, 2);
  check(runtime._OrtGetInputOutputCount(session, scratch, scratch + pointerSize));
  const [inputCount = 0, outputCount = 0] = pair();
  const ports = Array.from({ length: inputCount + outputCount }, (_, index): Port => {
    check(runtime._OrtGetInputOutputMetadata(session, index, scratch, scratch + pointerSize));
    const [address = 0, metadata = 0] = pair();
    // The element's type, the rank, for each dimension the address of its name or 0, for each its length if it has none.
    const [type = 0, rank = 0] = readPointers(runtime, metadata, 2);
    const names = readPointers(runtime, metadata + 2 * pointerSize, rank);
    const lengths = readPointers(runtime, metadata + (2 + rank) * pointerSize, rank);
    runtime._OrtFree(metadata);
    const dims = lengths.map((length, dim) => (names[dim] === 0 ? length : undefined));
    return { name: runtime.UTF8ToString(address), address, type, dims };
  });
  runtime._free(scratch);
  return { inputs: ports.slice(0, inputCount), outputs: ports.slice(inputCount) };
}

function unfit(name: string, what: string): Error {
  return loadFailed(
    `${name} is no decoder that this runtime can run: ${what}; export it as text generation with past, in float32 or float16 ` +
      `(optimum-cli export onnx --task text-generation-with-past)`,
  );
}
