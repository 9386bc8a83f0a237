import { describe } from './errors.js';

// The name tells what instanceof misses: an array of another realm, such as a test runner's or a frame's.
export const isFloat32Array = (given: unknown): given is Float32Array =>
  given instanceof Float32Array || typeName(given) === 'Float32Array';
export const isFloat64Array = (given: unknown): given is Float64Array =>
  given instanceof Float64Array || typeName(given) === 'Float64Array';
const isInt32Array = (given: unknown): given is Int32Array => typeName(given) === 'Int32Array';

function typeName(given: unknown): string | undefined {
  return ArrayBuffer.isView(given) ? Object.prototype.toString.call(given).slice(8, -1) : undefined;
}

/** A list that may hold numbers; undefined for anything else. */
export function toList(given: unknown): ArrayLike<unknown> | undefined {
  const typed = isFloat32Array(given) || isFloat64Array(given) || isInt32Array(given);
  return typed || Array.isArray(given) ? given : undefined;
}

/**
 * Copies a list of numbers and refuses all other elements.
 * @param refusal makes the error from the element, as text, and its index
 */
export function copyNumbers(
  list: ArrayLike<unknown>,
  to: Float32Array | Float64Array,
  refusal: (value: string, index: number) => Error,
): void {
  if (isFloat32Array(list) || isFloat64Array(list)) {
    if (to.length > 0) to.set(list); // set throws on a detached array, whose length is 0
    return;
  }
  for (let i = 0; i < to.length; ++i) {
    const element = list[i];
    if (typeof element !== 'number') throw refusal(describe(element), i);
    to[i] = element;
  }
}
