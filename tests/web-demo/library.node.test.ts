import type { Store, Story } from 'quillmate-sampler/store';
import { expect, test } from 'vitest';
import { findText } from '../../web-demo/src/library/find-text.js';
import { Library } from '../../web-demo/src/library/library.js';
import { decodeText, fileName, fromFileText, toFileText } from '../../web-demo/src/library/story-files.js';

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

const text = 'Zoë: “It’s 日本.”';
const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le');
/** The beginning of every PNG. */
const image = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
// Of Windows' characters only those that Latin-1 has, too: Node 20 takes the one for the other.
const windows = Buffer.from('Zoë à la façade', 'latin1');

test.each<[string, Buffer, string | null]>([
  ['UTF-8', Buffer.from(text), text],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${text}`), text],
  ['UTF-16', utf16, text],
  ['UTF-16, big-endian', Buffer.from(utf16).swap16(), text],
  ['a text of an older Windows program', windows, 'Zoë à la façade'],
  ['no text at all', Buffer.alloc(0), ''],
  ['an image', image, null],
  ['an image without an invalid byte', image.subarray(1), null],
  ['a mark before what is none of it', Buffer.concat([Buffer.from('\ufeff'), windows]), null],
  ['half a character of UTF-16', utf16.subarray(0, -1), null],
])('a file is decoded, or known to be no text: %s', (_, bytes, expected) => {
  expect(decodeText(bytes)).toBe(expected);
});

test('a file that is no text is named, and the others are in the list all the same', async () => {
  const saved: Story[] = [];
  const store = {
    list: () => Promise.resolve(saved.map((story) => ({ ...story, revision: 1, updatedAt: 0 }))),
    save: (story: Story) => Promise.resolve(saved.push(story)),
  } as unknown as Store;
  const library = new Library();
  await library.connect(store);
  const files = [
    new File([image], 'photo.png'),
    new File([windows], 'old.txt'),
    new File([utf16], 'new.txt'),
    new File([image], 'sketch.txt'),
  ];
  await expect(library.importFiles(files, {})).rejects.toThrow(
    '“photo.png” is not a text, and was left out. “sketch.txt” is not a text, and was left out.',
  );
  expect(saved.map(({ text }) => text)).toEqual(['Zoë à la façade', text]);
  expect(library.entries.value.map(({ title }) => title)).toEqual(['old', 'new']);
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
