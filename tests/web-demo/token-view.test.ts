import { loadSampler } from 'quillmate-sampler';
import { expect, it } from 'vitest';
import { pastedSource, readLogits } from '../../web-demo/src/explorer/source.js';
import { viewToken } from '../../web-demo/src/explorer/token-view.js';

const sampler = await loadSampler();
const row = [0.1, 0.4, 0.2, 0.3].map(Math.log);
const fates = (settings: { temperature: number; topK: number; topP: number }) =>
  Object.fromEntries(viewToken(sampler, row, settings, 0.5).candidates.map(({ id, fate }) => [id, fate]));

it('tells of each token which setting cuts it', () => {
  expect(fates({ temperature: 1, topK: 0, topP: 1 })).toEqual({ 1: 'kept', 3: 'kept', 2: 'kept', 0: 'kept' });
  expect(fates({ temperature: 1, topK: 3, topP: 0.7 })).toEqual({ 1: 'kept', 3: 'kept', 2: 'topP', 0: 'topK' });
  expect(fates({ temperature: 0, topK: 3, topP: 0.7 })).toEqual({ 1: 'kept', 3: 'temperature', 2: 'temperature', 0: 'temperature' }); // prettier-ignore
});

it('walks what is kept in ascending order of the ids, and names the token that u hits', () => {
  const view = viewToken(sampler, row, { temperature: 1, topK: 0, topP: 0.7 }, 0.6);
  expect(view.walk.map(({ id }) => id)).toEqual([1, 3]);
  expect(view.walk.map(({ from, to }) => [from.toFixed(3), to.toFixed(3)])).toEqual([
    ['0.000', '0.571'],
    ['0.571', '1.000'],
  ]);
  expect(view.hit).toBe(3);
  expect(view.counts).toEqual({ kept: 2, topK: 0, topP: 2, temperature: 0 });
});

it('shows the likeliest, those beside the cuts, and the token that is hit', () => {
  const flat = Array.from({ length: 100 }, (_, id) => -id / 100);
  const { hit, candidates } = viewToken(sampler, flat, { temperature: 1, topK: 60, topP: 1 }, 0.5);
  expect(hit).toBe(25); // 1 - e^(-0.01 n) reaches half of 1 - e^-0.6 between n = 25 and 26
  expect(candidates.map(({ id }) => id)).toEqual([...Array.from({ length: 10 }, (_, id) => id), 25, 58, 59, 60, 61]);
});

it('reads pasted logits, with or without brackets, and names what is none', () => {
  expect(readLogits('[1, -2.5e-1;\n-inf 3]')).toEqual([1, -0.25, -Infinity, 3]);
  expect(() => readLogits(' ')).toThrow('There are no logits');
  expect(() => readLogits('1, two')).toThrow('“two” is no logit');
  expect(() => readLogits('1, Infinity')).toThrow('“Infinity” is no logit');
  expect(pastedSource(sampler, '1 2').vocabSize).toBe(2);
});
