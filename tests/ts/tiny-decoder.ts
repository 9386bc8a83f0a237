import { field, message, text } from './protocol-buffers.js';

/** What is varied of {@link tinyDecoder}. */
export interface TinyDecoder {
  /** Of logits, keys and values. */
  readonly type: 'float32' | 'float16';
  readonly layers: number;
  readonly heads: number;
  readonly headSize: number;
  readonly vocabSize: number;
  /** Whether the graph itself tells heads, head size and vocabulary; else config.json has to. */
  readonly told: boolean;
  readonly positions: boolean;
  /** Whether it makes only as many rows of logits as it is asked for. */
  readonly asked: boolean;
  /** Left out, it makes a row for each token, unless it is asked; set, for the last alone. */
  readonly lastOnly?: boolean;
}

/**
 * An ONNX file in the layout of Optimum's decoders that can be checked by hand. Token t has the embedding e(t), see
 * {@link embedding}; each layer keeps it as its values; the logit of v is the sum over all tokens t so far of e(t) · e(v).
 */
export function tinyDecoder(model: TinyDecoder): Uint8Array<ArrayBuffer> {
  const { type, layers, heads, headSize, vocabSize, told, positions, asked, lastOnly = false } = model;
  const float = type === 'float32' ? 1 : 10;
  const size = (length: number, name: string): number | string => (told ? length : name);
  const past = size(heads, 'heads');
  const width = size(headSize, 'size');
  const embeddings = Array.from({ length: vocabSize }, (_, token) => embedding(token, heads * headSize)).flat();
  const nodes = [
    node('Gather', ['embeddings', 'input_ids'], 'embedded'),
    node('Reshape', ['embedded', 'split'], 'by_token'),
    node('Transpose', ['by_token'], 'by_head', ints('perm', [0, 2, 1, 3])),
    node('Shape', ['input_ids'], 'count', int('start', 1), int('end', 2)),
    node('Neg', ['count'], 'begin'),
  ];
  for (let layer = 0; layer < layers; layer++) {
    for (const part of ['key', 'value']) {
      const name = `${layer}.${part}`;
      nodes.push(node('Cast', ['by_head'], `now.${name}`, int('to', float)));
      nodes.push(node('Concat', [`past_key_values.${name}`, `now.${name}`], `present.${name}`, int('axis', 2)));
    }
  }
  nodes.push(
    node('Cast', [`present.${layers - 1}.value`], 'values', int('to', 1)),
    node('CumSum', ['values', 'axis'], 'sums'),
    node('Slice', ['sums', 'begin', 'end', 'axis'], 'last'),
    node('Transpose', ['last'], 'last_by_token', ints('perm', [0, 2, 1, 3])),
    node('Reshape', ['last_by_token', 'join'], 'joined'),
    ...(asked
      ? [
          node('Neg', ['num_logits_to_keep'], 'minus'),
          node('Reshape', ['minus', 'one'], 'kept_begin'),
          node('Slice', ['joined', 'kept_begin', 'end', 'one'], 'kept'),
        ]
      : []),
    ...(lastOnly ? [node('Slice', ['joined', 'minus_one', 'end', 'one'], 'kept')] : []),
    node('Transpose', ['embeddings'], 'vocabulary', ints('perm', [1, 0])),
    node('MatMul', [asked || lastOnly ? 'kept' : 'joined', 'vocabulary'], 'wide_logits'),
    node('Cast', ['wide_logits'], 'logits', int('to', float)),
  );
  const pasts = Array.from({ length: layers }, (_, layer) => [`${layer}.key`, `${layer}.value`]).flat();
  const graph = [
    ...nodes.map((bytes) => field(1, bytes)),
    field(2, text('tiny')),
    field(5, constant('embeddings', 1, [vocabSize, heads * headSize], new Float32Array(embeddings))),
    field(5, constant('split', 7, [4], BigInt64Array.of(0n, 0n, BigInt(heads), BigInt(headSize)))),
    field(5, constant('join', 7, [3], BigInt64Array.of(0n, 0n, BigInt(heads * headSize)))),
    field(5, constant('axis', 7, [1], BigInt64Array.of(2n))),
    field(5, constant('end', 7, [1], BigInt64Array.of(2n ** 62n))),
    field(5, constant('one', 7, [1], BigInt64Array.of(1n))),
    field(5, constant('minus_one', 7, [1], BigInt64Array.of(-1n))),
    field(11, port('input_ids', 7, ['batch', 'count'])),
    field(11, port('attention_mask', 7, ['batch', 'total'])),
    ...(positions ? [field(11, port('position_ids', 7, ['batch', 'count']))] : []),
    ...(asked ? [field(11, port('num_logits_to_keep', 7, []))] : []),
    ...pasts.map((name) => field(11, port(`past_key_values.${name}`, float, ['batch', past, 'past', width]))),
    field(12, port('logits', float, ['batch', 'count', size(vocabSize, 'vocabulary')])),
    ...pasts.map((name) => field(12, port(`present.${name}`, float, ['batch', past, 'total', width]))),
  ];
  return message(field(1, 8), field(7, message(...graph)), field(8, message(field(1, text('')), field(2, 17))));
}

/** Whole numbers from -1 to 1, so that their sums are exact in 16 bits too. */
export function embedding(token: number, width: number): number[] {
  return Array.from({ length: width }, (_, index) => ((token * (index + 3) + index) % 3) - 1);
}

function node(
  type: string,
  inputs: readonly string[],
  output: string,
  ...attributes: readonly Uint8Array[]
): Uint8Array {
  return message(
    ...inputs.map((name) => field(1, text(name))),
    field(2, text(output)),
    field(4, text(type)),
    ...attributes.map((attribute) => field(5, attribute)),
  );
}

function int(name: string, value: number): Uint8Array {
  return message(field(1, text(name)), field(3, value), field(20, 2));
}

function ints(name: string, values: readonly number[]): Uint8Array {
  return message(field(1, text(name)), ...values.map((value) => field(8, value)), field(20, 7));
}

function constant(name: string, type: number, dims: readonly number[], data: Float32Array | BigInt64Array): Uint8Array {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return message(...dims.map((dim) => field(1, dim)), field(2, type), field(8, text(name)), field(9, bytes));
}

function port(name: string, type: number, dims: readonly (number | string)[]): Uint8Array {
  const shape = dims.map((dim) => field(1, typeof dim === 'number' ? field(1, dim) : field(2, text(dim))));
  const tensor = message(field(1, type), field(2, message(...shape)));
  return message(field(1, text(name)), field(2, field(1, tensor)));
}
