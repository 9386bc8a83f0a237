import { errorMessages, type ErrorCode } from './generated/error-codes.js';

export { errorCodes, type ErrorCode } from './generated/error-codes.js';

/** What a {@link SamplerError} tells besides its code. */
export interface ErrorDetails {
  /** Which element is meant: a token id, a position, a character. */
  readonly index?: number | undefined;
  /** Which row of a batch is meant. */
  readonly row?: number | undefined;
  /** What was given, as text: `"0.7"` with its quotes for a string, `NaN`, `null`. */
  readonly value?: string | undefined;
  /** What it was given for. */
  readonly detail?: string | undefined;
  /** In place of the code's sentence, where the fault has another remedy. */
  readonly message?: string | undefined;
  /** The error underneath, where there is one. */
  readonly cause?: unknown;
}

/**
 * The one error of this package: `code` tells the cases apart, the message names the value and the remedy. Whatever
 * throws one has changed nothing.
 */
export class SamplerError extends Error {
  override readonly name: string = 'SamplerError';
  readonly code: ErrorCode;
  readonly index: number | undefined;
  readonly row: number | undefined;
  readonly value: string | undefined;
  readonly detail: string | undefined;

  /** Its message is the code's sentence, with the details filled in, unless they have one of their own. */
  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    super(messageOf(code, details), details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.index = details.index;
    this.row = details.row;
    this.value = details.value;
    this.detail = details.detail;
  }
}

function messageOf(code: ErrorCode, { row, message, ...places }: ErrorDetails): string {
  const fill = (_: string, name: 'index' | 'value' | 'detail'): string => String(places[name] ?? '');
  const sentence = message ?? errorMessages[code].replace(/\{(index|value|detail)\}/g, fill);
  return row === undefined ? sentence : `row ${row}: ${sentence}`;
}

/** A value as a message shows it: `"0.7"`, `NaN`, `null`, `12n`, `a Uint8Array`. */
export function describe(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
    case 'bigint':
      return `${value}n`;
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'function':
      return 'a function';
    case 'object':
      return value === null ? 'null' : withArticle(typeName(value));
    case 'boolean':
    case 'symbol':
    case 'undefined':
      return String(value);
  }
}

const withArticle = (name: string): string => (/^[AEIO]/.test(name) ? `an ${name}` : `a ${name}`);

function typeName(value: object): string {
  try {
    return Object.prototype.toString.call(value).slice(8, -1);
  } catch {
    return 'Object'; // its own code failed when it was asked, or it is a revoked Proxy
  }
}
