import { describe, SamplerError } from './errors.js';
import { tagOf, toNumbers, viewAs } from './numbers.js';

/**
 * One row of logits, one number per token of the vocabulary; minus infinity bans its token. The numbers of an array are
 * binary64. A row is read before the call returns and never changed.
 */
export type LogitsInput = Float32Array | Float64Array | Float16Numbers | HalfLogits | readonly number[];

/** A Float16Array, where the engine has it. */
export type Float16Numbers = ArrayBufferView & ArrayLike<number> & { readonly [Symbol.toStringTag]: 'Float16Array' };

/** A row of 16-bit floats, `data` holding their bits: what a tensor of onnxruntime-web has under these names. */
export type HalfLogits =
  | { readonly type: 'float16'; readonly data: Uint16Array | Float16Numbers }
  | { readonly type: 'bfloat16'; readonly data: Uint16Array };

/** @internal A row's elements, 16-bit ones as their bits. */
export interface RowElements {
  /** As the module calls it. */
  readonly type: 'float32' | 'float64' | 'float16' | 'bfloat16';
  readonly elements: Float32Array | Float64Array | Uint16Array;
}

/** @internal All is read and checked: what follows runs none of the caller's code. A typed array is not copied. */
export function toRow(logits: unknown): RowElements {
  const half = toHalf(logits);
  if (half) return half;
  const numbers = toNumbers(logits, (value, index) => {
    return new SamplerError('INVALID_LOGITS', { value: `an array with ${value} at ${index}`, index });
  });
  if (!numbers || numbers instanceof Int32Array) {
    throw new SamplerError('INVALID_LOGITS', { value: describe(logits) });
  }
  return { type: numbers instanceof Float32Array ? 'float32' : 'float64', elements: numbers };
}

function toHalf(logits: unknown): RowElements | undefined {
  const tag = tagOf(logits);
  if (tag === 'Float16Array') return { type: 'float16', elements: viewAs(Uint16Array, logits) };
  if (tag !== undefined || typeof logits !== 'object' || logits === null) return undefined;
  const { type, data } = logits as { readonly type?: unknown; readonly data?: unknown };
  const dataTag = tagOf(data);
  const isFloat16 = type === 'float16' && (dataTag === 'Uint16Array' || dataTag === 'Float16Array');
  const isBfloat16 = type === 'bfloat16' && dataTag === 'Uint16Array';
  return isFloat16 || isBfloat16 ? { type, elements: viewAs(Uint16Array, data) } : undefined;
}
