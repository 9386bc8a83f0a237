import { expect, test } from 'vitest';
import {
  positionOf,
  takeAt,
  takeBefore,
  toDocument,
  toSlice,
  toText,
} from '../../web-demo/src/story/story-document.js';

const stories = [
  '',
  'One.',
  'One.\n\nTwo.',
  'One.\nTwo.',
  '\n\n',
  'One.\n\n\nTwo.',
  'One.\n\n\n\n',
  '\n',
  ' One. \n\n Two. ',
];

test.each(stories)('%j comes out of the editor as it went in', (story) => {
  expect(toText(toDocument(story))).toBe(story);
});

test.each(stories)('in %j every offset is a position in the document', (story) => {
  const document = toDocument(story);
  expect(document.content.size).toBe(story.length + 2);
  for (let offset = 0; offset < story.length; offset += 1) {
    if (story[offset] === '\n') continue;
    expect(document.textBetween(positionOf(offset), positionOf(offset + 1))).toBe(story[offset]);
  }
});

test('text put at the end of a paragraph goes on with it, and begins new ones at blank lines', () => {
  const document = toDocument('One');
  expect(toText(document.replace(positionOf(3), positionOf(3), toSlice(', two.\n\nThree.')))).toBe(
    'One, two.\n\nThree.',
  );
  expect(toText(document.replace(positionOf(3), positionOf(3), toSlice('\n\nTwo.')))).toBe('One\n\nTwo.');
});

test('an empty paragraph knows whose words come before it, as it may be the last that the machine has written', () => {
  const story = 'One. Two.\n\n\n\nThree.';
  const document = toDocument(story, [{ take: 'a', from: 5, to: 9 }]);
  const lookUp = (offset: number) => [takeAt(document, positionOf(offset)), takeBefore(document, positionOf(offset))];
  expect(lookUp(9)).toEqual(['a', null]);
  expect(lookUp(11)).toEqual([null, 'a']);
  expect(lookUp(13)).toEqual([null, null]);
  expect(takeBefore(toDocument(''), positionOf(0))).toBeNull();
});
