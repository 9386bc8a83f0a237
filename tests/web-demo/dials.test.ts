import { expect, test } from 'vitest';
import { freshSeed, readDials, type DialTexts } from '../../web-demo/src/writing/dials.js';

const usual: DialTexts = { seed: '7', temperature: '0.8', topK: '0', topP: '0.95', length: '120' };

test('dials are read as the numbers they show', () => {
  expect(readDials(usual)).toEqual({ dials: { seed: '7', temperature: 0.8, topK: 0, topP: 0.95, length: 120 } });
});

test('a seed is any whole number of 64 bits, and leading zeros do not make it another', () => {
  expect(readDials({ ...usual, seed: ' 007 ' })).toMatchObject({ dials: { seed: '7' } });
  expect(readDials({ ...usual, seed: '18446744073709551615' })).toMatchObject({
    dials: { seed: '18446744073709551615' },
  });
});

test('numbers are read as they are typed, and as programs write those near to nothing', () => {
  const temperatureOf = (temperature: string) => readDials({ ...usual, temperature });
  for (const text of ['1', '.5', '1.', '1e-5', '2.5E-3', '1e+1', String(1e-7)]) {
    expect(temperatureOf(text)).toMatchObject({ dials: { temperature: Number(text) } });
  }
  expect(readDials({ ...usual, topP: String(5e-324) })).toMatchObject({ dials: { topP: 5e-324 } });
});

test.each<Partial<DialTexts>>([
  { seed: '' },
  { seed: '-1' },
  { seed: '1.5' },
  { seed: '18446744073709551616' },
  { temperature: '' },
  { temperature: '-0.1' },
  { temperature: 'Infinity' },
  { temperature: '1e999' },
  { temperature: '1e' },
  { temperature: 'e5' },
  { topK: '1.5' },
  { topK: '0x10' },
  { topP: '1.01' },
  { topP: '1e1' },
  { topP: '' },
  { length: '0' },
  { length: '1001' },
])('%o is refused, and the sentence for that dial says what it takes', (wrong) => {
  const reading = readDials({ ...usual, ...wrong });
  expect(Object.keys('problems' in reading ? reading.problems : {})).toEqual(Object.keys(wrong));
});

test('a fresh seed is one that the dial takes', () => {
  expect(readDials({ ...usual, seed: freshSeed() })).toHaveProperty('dials');
});
