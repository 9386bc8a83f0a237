import { expect, test } from 'vitest';
import { findText } from '../../web-demo/src/library/find-text.js';
import { fileName, fromFileText, toFileText } from '../../web-demo/src/library/story-files.js';

test('a story is a Markdown file whose heading is its title, and comes back from it', () => {
  const story = { title: 'The clock', text: 'One.\n\nTwo.' };
  expect(toFileText(story, 'md')).toBe('# The clock\n\nOne.\n\nTwo.\n');
  expect(fromFileText('x.md', toFileText(story, 'md'))).toEqual(story);
  expect(fromFileText('x.md', '\ufeff# The clock #\r\n\r\nOne.')).toEqual({ title: 'The clock', text: 'One.' });
});

test('a file without a heading is named as the file is', () => {
  expect(fromFileText('My tale.md', 'No # heading')).toEqual({ title: 'My tale', text: 'No # heading' });
  expect(fromFileText('rain.txt', '# Rain\n')).toEqual({ title: 'rain', text: '# Rain' });
});

test('a title becomes a name that every file system takes', () => {
  expect(fileName('What? A "tale": 1/2', 'md')).toBe('What A tale 1 2.md');
  expect(fileName('...', 'txt')).toBe('story.txt');
});

test('a text is found whatever its capitals, quotes and line ends, and shown with what stands around', () => {
  expect(findText('She said: “It’s\nlate.”', 'SAID: "it\'s late')).toEqual({
    before: 'She ',
    found: 'said: “It’s late',
    after: '.”',
  });
  const long = `${'one two '.repeat(10)}needle ${'three four '.repeat(10)}`;
  expect(findText(long, 'needle')).toEqual({
    before: '…two one two one two one two ',
    found: 'needle',
    after: ' three four three four three…',
  });
  expect(findText('text', ' ')).toBeNull();
  expect(findText('text', 'other')).toBeNull();
});

test('a capital whose small form is longer moves nothing', () => {
  expect(findText('İstanbul by night', 'NIGHT')).toMatchObject({ before: 'İstanbul by ', found: 'night' });
});
