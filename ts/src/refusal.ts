import { errorCodes, SamplerError } from './errors.js';

interface Report {
  errorCode(): number;
  errorIndex(): number;
  errorValue(): string;
  errorDetail(): string;
}

/**
 * What a module refused last.
 * @internal
 */
export function refusal(module: Report, row?: number): Error {
  const code = errorCodes[module.errorCode() - 1];
  if (code === undefined)
    return new Error(`quillmate.wasm is of another version: it reports error ${module.errorCode()}`);
  const index = module.errorIndex();
  return new SamplerError(code, {
    index: index < 0 ? undefined : index,
    row,
    value: module.errorValue() || undefined,
    detail: module.errorDetail() || undefined,
  });
}
