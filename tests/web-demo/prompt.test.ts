import { expect, test } from 'vitest';
import { continuationText, promptText } from '../../web-demo/src/writing/prompt.js';

test('curly quotes, dashes and ellipses become the plain forms that the model knows', () => {
  expect(promptText('“Well—” she said, ‘no’…')).toBe('"Well--" she said, \'no\'...');
  expect(promptText('one — two – three')).toBe('one--two--three');
  expect(promptText('1914–1918, twenty‑one')).toBe('1914-1918, twenty-one');
});

test('paragraphs stay paragraphs, and odd spaces become one', () => {
  expect(promptText('One.\r\n\r\n\r\nTwo.\u00a0 Three.')).toBe('One.\n\nTwo. Three.');
});

test('a prompt never ends in a space, but may end with a new paragraph', () => {
  expect(promptText('She opened the ')).toBe('She opened the');
  expect(promptText('She left.\n\n')).toBe('She left.\n\n');
});

test('the first word brings its own space only where the story has none', () => {
  expect(continuationText('the door', ' opened')).toBe(' opened');
  expect(continuationText('the door ', ' opened')).toBe('opened');
  expect(continuationText('the door.\n\n', ' Then')).toBe('Then');
  expect(continuationText('', ' Once')).toBe('Once');
  expect(continuationText('the do', 'or')).toBe('or');
});
