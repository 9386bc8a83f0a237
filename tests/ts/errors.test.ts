import { errorCodes, SamplerError } from 'quillmate-sampler';
import { describe, expect, test } from 'vitest';
// Beside the package's surface: the list that the C++ core is compiled from, where a place is a number.
import coreList from '../../cpp/include/quillmate/error_codes.def?raw';

describe('the list of errors', () => {
  test('is the one of the C++ core, in its order', () => {
    const names = [...coreList.matchAll(/^QUILLMATE_ERROR\(([A-Z_]+), "/gm)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(30);
    expect(names).toEqual([...errorCodes]);
  });

  test.each(errorCodes)('%s has a sentence in which every place is filled', (code) => {
    const error = new SamplerError(code, { index: 7, value: 'a value', detail: 'a detail' });
    expect(error).toMatchObject({ name: 'SamplerError', code, index: 7, value: 'a value', detail: 'a detail' });
    expect(error.message).toMatch(/^[^{}]{20,}$/);
  });

  test('has sentences that differ', () => {
    expect(new Set(errorCodes.map((code) => new SamplerError(code).message)).size).toBe(errorCodes.length);
  });
});

test('an error is an Error with a cause, and names the row of a batch', () => {
  const cause = new Error('underneath');
  const error = new SamplerError('ALL_BANNED', { row: 3, cause });
  expect(error).toBeInstanceOf(Error);
  expect(error.cause).toBe(cause);
  expect(error.message).toMatch(/^row 3: every token is banned/);
  expect(new SamplerError('ALL_BANNED')).not.toHaveProperty('cause');
});
