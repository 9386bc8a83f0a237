import { describe, SamplerError, type ErrorCode } from './errors.js';

/** An unsigned 64-bit number: a safe integer, a bigint or a decimal string. The same for steps and streams. */
export type Seed = number | bigint | string;

/** @internal Any refusal carries the code. */
export function toUint64(given: unknown, code: ErrorCode, detail?: string): bigint {
  const number = toBigInt(given);
  if (number === undefined || number !== BigInt.asUintN(64, number)) {
    throw new SamplerError(code, { value: describe(given), detail });
  }
  return number;
}

function toBigInt(given: unknown): bigint | undefined {
  if (typeof given === 'bigint') return given;
  if (typeof given === 'number' && Number.isSafeInteger(given)) return BigInt(given);
  if (typeof given !== 'string') return undefined;
  // No more than the digits of 2^64 - 1: BigInt takes seconds for millions.
  const digits = /^0*([1-9]\d{0,19}|0)$/.exec(given)?.[1];
  return digits === undefined ? undefined : BigInt(digits);
}

/** @internal 64 bits from the platform's source of randomness. */
export function freshSeed(): bigint {
  return new DataView(crypto.getRandomValues(new Uint8Array(8)).buffer).getBigUint64(0);
}
