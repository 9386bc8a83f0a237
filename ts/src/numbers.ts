import { describe, SamplerError } from './errors.js';

/** The arrays that the package takes for numbers. */
export type Numbers = Float32Array | Float64Array | Int32Array;

// The engine's own getters: they tell the truth of a subclass that overrides them and of an array of another realm,
// such as a test runner's or a frame's, and they run none of the caller's code.
export const tagOf = getter(Symbol.toStringTag) as (given: unknown) => string | undefined;
const lengthOf = getter('length') as (array: unknown) => number;
const bufferOf = getter('buffer') as (array: unknown) => ArrayBufferLike;
const offsetOf = getter('byteOffset') as (array: unknown) => number;

export type ViewConstructor<View> = new (buffer: ArrayBufferLike, byteOffset?: number, length?: number) => View;

const types = new Map<string | undefined, ViewConstructor<Numbers>>([
  ['Float32Array', Float32Array],
  ['Float64Array', Float64Array],
  ['Int32Array', Int32Array],
]);

function getter(name: string | symbol): (array: unknown) => unknown {
  const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;
  const descriptor = Object.getOwnPropertyDescriptor(typedArray, name);
  return (array) => descriptor?.get?.call(array) as unknown;
}

/**
 * A list as numbers, all elements read and checked: what follows runs none of the caller's code. Undefined for anything
 * that is no list. A typed array is not copied.
 * @param refusal makes the error from an element that is no number, as text, and its index
 */
export function toNumbers(given: unknown, refusal: (value: string, index: number) => Error): Numbers | undefined {
  const Type = types.get(tagOf(given));
  if (Type) return viewAs(Type, given);
  if (!Array.isArray(given)) return undefined;
  const list: readonly unknown[] = given;
  const numbers = makeDoubles(list.length);
  for (let i = 0; i < numbers.length; ++i) {
    const element = list[i];
    if (typeof element !== 'number') throw refusal(describe(element), i);
    numbers[i] = element;
  }
  return numbers;
}

/** The elements of a typed array, as a type of the same width. */
export function viewAs<View>(Type: ViewConstructor<View>, array: unknown): View {
  const length = lengthOf(array);
  // A detached buffer, whose arrays have length 0, takes no new view.
  return length === 0 ? new Type(new ArrayBuffer(0)) : new Type(bufferOf(array), offsetOf(array), length);
}

function makeDoubles(length: number): Float64Array {
  const refusal = (cause?: unknown) => noRoom(`a list of ${describe(length)} numbers`, cause);
  // A Proxy may say anything of its length.
  if (!Number.isInteger(length) || !fitsMemory(length * Float64Array.BYTES_PER_ELEMENT)) throw refusal();
  try {
    return new Float64Array(length);
  } catch (cause) {
    throw refusal(cause);
  }
}

/** Whether the module's memory could have room for it at all; a number that is none is cut off at the boundary. */
export function fitsMemory(bytes: number): boolean {
  return Number.isInteger(bytes) && bytes >= 0 && bytes < 0x8000_0000;
}

export function noRoom(what: string, cause?: unknown): SamplerError {
  const detail = `${what} does not fit into memory`;
  return new SamplerError('WRONG_LENGTH', { detail, message: `${detail}; use a shorter one`, cause });
}
