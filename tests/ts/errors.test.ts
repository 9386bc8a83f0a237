import { errorCodes, loadSampler, SamplerError } from 'quillmate-sampler';
import { describe, expect, test } from 'vitest';
// Beside the package's surface: the list that the C++ core is compiled from, where a place is a number.
import coreList from '../../cpp/include/quillmate/error_codes.def?raw';
import { refusalOf, wrong } from './refusal.js';

const sampler = await loadSampler();

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

test('an error may have a sentence of its own', () => {
  const error = new SamplerError('WRONG_LENGTH', {
    row: 2,
    detail: 'it is too long',
    message: 'it is too long; cut it',
  });
  expect(error).toMatchObject({ detail: 'it is too long', message: 'row 2: it is too long; cut it' });
});

describe('the remedy fits the fault:', () => {
  const row = [1, 2];
  const object = 'pass an object, such as { temperature: 0.8 }';
  const cases: [string, () => unknown, string][] = [
    ['a number as settings', () => sampler.sampleToken(row, wrong(0.7)), `the settings are 0.7; ${object}`],
    ['a number as options', () => new sampler.Generator(() => row, [], wrong(42)), `the settings are 42; ${object}`],
    ['a function as settings', () => sampler.distribution(row, wrong(() => 0)), `the settings are a function; ${object}`],
    ['a size as text', () => new sampler.LogitsRow(wrong('4')), 'a row of "4" logits cannot be made; use a whole number of 0 or more'],
    ['a row that is too large', () => new sampler.LogitsRow(2 ** 40), 'a row of 1099511627776 logits does not fit into memory; use a shorter one'],
    ['a vocabulary as text', () => sampler.sampleBatch(row, wrong('4'), { u: 0 }), 'rows of "4" logits cannot be made; pass the size of the vocabulary, a whole number from 1'],
    ['lengths that differ', () => sampler.sampleBatch(row, 2, { u: [0, 0] }), 'u has 2 values for 1 rows; make the lengths agree'],
    ['a list in a row', () => sampler.sampleToken(wrong([row]), { u: 0 }), 'the logits are an array with an Array at 0; pass a Float32Array, Float64Array or Float16Array, an array of numbers, or the type and the data of 16-bit floats'],
  ]; // prettier-ignore
  test.each(cases)('%s', (_, call, message) => {
    expect(refusalOf(call).message).toBe(message);
  });
});
