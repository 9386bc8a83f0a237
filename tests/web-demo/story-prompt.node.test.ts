import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { TextTokenizer } from '../../web-demo/src/models/text-tokenizer.js';
import { promptOf } from '../../web-demo/src/writing/prompt.js';

const tokenizer = new TextTokenizer(read('tokenizer.json'), read('tokenizer_config.json'));

test('a prompt is the start token and then the story', () => {
  expect(promptOf(tokenizer, '', 512)).toEqual([0]);
  const [start, ...rest] = promptOf(tokenizer, 'Once upon a time', 512);
  expect(start).toBe(0);
  expect(tokenizer.text(rest, false)).toBe('Once upon a time');
});

test('the prompt of a long story is its end, with room left in the context for what is to be written', () => {
  const story = 'There was a king. '.repeat(3000) + 'At last he slept.';
  const prompt = promptOf(tokenizer, story, 512);
  expect(prompt).toHaveLength(384);
  expect(prompt[0]).toBe(0);
  expect(tokenizer.text(prompt, false).endsWith('There was a king. At last he slept.')).toBe(true);
  expect(promptOf(tokenizer, story, 512)).toEqual(prompt);
  expect(promptOf(tokenizer, story, 64)).toEqual([0, ...prompt.slice(-31)]);
});

test('streamed text only grows, holds back half characters, and ends as the text decoded at once', () => {
  const story = 'Zoë met 日本 🙂 at the café.';
  const tokens = promptOf(tokenizer, story, 512).slice(1);
  let shown = '';
  for (let count = 1; count <= tokens.length; count += 1) {
    const text = tokenizer.text(tokens.slice(0, count), true);
    expect(text.startsWith(shown)).toBe(true);
    expect(text).not.toContain('\ufffd');
    shown = text;
  }
  expect(shown).toBe(story);
  expect(tokenizer.text(tokens, false)).toBe(story);
});

test('a character that is never completed is shown as broken when nothing more comes', () => {
  const smile = promptOf(tokenizer, '🙂', 512).slice(1, 3);
  expect(tokenizer.text(smile, true)).toBe('');
  expect(tokenizer.text(smile, false)).toContain('\ufffd');
});

function read(file: string): object {
  const url = new URL(`../../web-demo/public/models/quill-tales/${file}`, import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8')) as object;
}
