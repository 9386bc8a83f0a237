import { undo } from 'prosemirror-history';
import { TextSelection } from 'prosemirror-state';
import { beforeEach, describe, expect, test } from 'vitest';
import { Manuscript } from '../../web-demo/src/story/manuscript.js';
import { positionOf } from '../../web-demo/src/story/story-document.js';

let manuscript: Manuscript;

beforeEach(() => {
  manuscript = new Manuscript();
  manuscript.load('One.\n\nTwo.', [], 10);
});

/** As the writer does. */
function type(offset: number, text: string): void {
  const { tr } = manuscript.state.value;
  manuscript.apply(tr.insertText(text, positionOf(offset)));
}

function undoOnce(): void {
  undo(manuscript.state.value, (transaction) => {
    manuscript.apply(transaction);
  });
}

function run(texts: readonly string[], take: string, place = { from: 10, to: 10 }): void {
  manuscript.penDown(place);
  for (const text of texts) manuscript.write(text, take);
  manuscript.penUp();
}

describe('what the machine writes', () => {
  test('stands at the pen, is marked, and is one step of Undo', () => {
    run([' Th', ' Three.\n', ' Three.\n\nFour'], 'a');
    expect(manuscript.text.value).toBe('One.\n\nTwo. Three.\n\nFour');
    expect(manuscript.places.value).toEqual([{ take: 'a', from: 10, to: 23 }]);
    expect(manuscript.take.value).toBe('a');
    undoOnce();
    expect(manuscript.text.value).toBe('One.\n\nTwo.');
    expect(manuscript.places.value).toEqual([]);
  });

  test('replaces what stood there with its first word, and Undo brings that back with its mark', () => {
    run([' Three.'], 'a');
    manuscript.penDown({ from: 10, to: 17 });
    expect(manuscript.text.value).toBe('One.\n\nTwo. Three.');
    manuscript.write(' F', 'b');
    manuscript.write(' Four.', 'b');
    manuscript.penUp();
    expect(manuscript.places.value).toEqual([{ take: 'b', from: 10, to: 16 }]);
    undoOnce();
    expect(manuscript.text.value).toBe('One.\n\nTwo. Three.');
    expect(manuscript.places.value).toEqual([{ take: 'a', from: 10, to: 17 }]);
  });

  test('lets the writer type everywhere else meanwhile, and follows its place', () => {
    manuscript.penDown({ from: 10, to: 10 });
    manuscript.write(' Th', 'a');
    type(0, 'Zero. ');
    type(19, 'no');
    type(17, 'no');
    manuscript.write(' Three.', 'a');
    manuscript.penUp();
    expect(manuscript.text.value).toBe('Zero. One.\n\nTwo. Three.');
    expect(manuscript.places.value).toEqual([{ take: 'a', from: 16, to: 23 }]);
  });
});

test('what the writer puts into the machine’s words is the writer’s own', () => {
  run([' Three.'], 'a');
  type(13, 'xyz');
  expect(manuscript.text.value).toBe('One.\n\nTwo. Thxyzree.');
  expect(manuscript.places.value).toEqual([{ take: 'a', from: 10, to: 20 }]);
  const { doc } = manuscript.state.value;
  const marked: string[] = [];
  doc.descendants((node) => {
    if (node.isText && node.marks.length > 0) marked.push(node.text ?? '');
  });
  expect(marked).toEqual([' Th', 'ree.']);
  type(20, ' More');
  expect(manuscript.places.value).toEqual([{ take: 'a', from: 10, to: 20 }]);
});

test('words that are released are the writer’s own, until Undo', () => {
  run([' Three.'], 'a');
  manuscript.release({ from: 10, to: 17 });
  expect(manuscript.places.value).toEqual([]);
  undoOnce();
  expect(manuscript.places.value).toEqual([{ take: 'a', from: 10, to: 17 }]);
});

test('the words are counted, and the caret is where it was put', () => {
  manuscript.load('One two — three.\n\n“Four”', [], 3);
  expect(manuscript.words.value).toBe(4);
  expect(manuscript.caret.value).toBe(3);
  const { tr, doc } = manuscript.state.value;
  manuscript.apply(tr.setSelection(TextSelection.create(doc, positionOf(5), positionOf(9))));
  expect(manuscript.caret.value).toBe(9);
  type(0, 'Zero ');
  expect(manuscript.words.value).toBe(5);
});
