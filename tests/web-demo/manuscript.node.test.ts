import { redo, undo } from 'prosemirror-history';
import { TextSelection } from 'prosemirror-state';
import { beforeEach, describe, expect, test } from 'vitest';
import { Manuscript } from '../../web-demo/src/story/manuscript.js';
import { positionOf, schema } from '../../web-demo/src/story/story-document.js';

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

function redoOnce(): void {
  redo(manuscript.state.value, (transaction) => {
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

  test('lets the writer type everywhere else meanwhile, says so where not, and follows its place', () => {
    manuscript.penDown({ from: 10, to: 10 });
    manuscript.write(' Th', 'a');
    type(0, 'Zero. ');
    expect(manuscript.refused.value).toBe(false);
    type(19, 'no');
    type(17, 'no');
    expect(manuscript.refused.value).toBe(true);
    manuscript.write(' Three.', 'a');
    manuscript.penUp();
    expect(manuscript.refused.value).toBe(false);
    expect(manuscript.text.value).toBe('Zero. One.\n\nTwo. Three.');
    expect(manuscript.places.value).toEqual([{ take: 'a', from: 16, to: 23 }]);
  });

  test('does not grow together with the word after it, and keeps the caret at its own end', () => {
    manuscript.load('One two, three.', [], 4);
    run(['l', 'little'], 'a', { from: 4, to: 4 });
    expect(manuscript.text.value).toBe('One little two, three.');
    expect(manuscript.places.value).toEqual([{ take: 'a', from: 4, to: 10 }]);
    expect(manuscript.caret.value).toBe(10);
    run(['little or more'], 'a', { from: 4, to: 10 });
    expect(manuscript.text.value).toBe('One little or more two, three.');
    undoOnce();
    undoOnce();
    expect(manuscript.text.value).toBe('One two, three.');
    run([' or four'], 'b', { from: 7, to: 7 });
    expect(manuscript.text.value).toBe('One two or four, three.');
  });

  test('is one step of Undo, whatever the writer typed in between, and that is others', () => {
    manuscript.penDown({ from: 10, to: 10 });
    for (let i = 0; i < 6; i += 1) {
      type(i, 'Zero. '.charAt(i));
      manuscript.write(' Three.\n\nFour.'.slice(0, 2 * i + 4), 'a');
    }
    manuscript.penUp();
    expect(manuscript.text.value).toBe('Zero. One.\n\nTwo. Three.\n\nFour.');
    undoOnce();
    expect(manuscript.text.value).toBe('Zero. One.\n\nTwo.');
    undoOnce();
    expect(manuscript.text.value).toBe('One.\n\nTwo.');
    redoOnce();
    redoOnce();
    expect(manuscript.text.value).toBe('Zero. One.\n\nTwo. Three.\n\nFour.');
    expect(manuscript.places.value).toEqual([{ take: 'a', from: 16, to: 30 }]);
  });

  test('is no step at all where the same words stood there, and Undo waits while it is written', () => {
    run([' Three.'], 'a');
    manuscript.penDown({ from: 10, to: 17 });
    manuscript.write(' Th', 'a');
    undoOnce();
    expect(manuscript.text.value).toBe('One.\n\nTwo. Th');
    manuscript.write(' Three.', 'a');
    manuscript.penUp();
    undoOnce();
    expect(manuscript.text.value).toBe('One.\n\nTwo.');
  });

  test('leaves each letter of the writer’s and the caret where they are, wherever these come', () => {
    let seed = 1;
    const draw = (limit: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % limit;
    };
    for (let round = 0; round < 50; round += 1) {
      manuscript.load('One. Two.\n\nThree. Four.\n\nFive.', [{ take: 'a', from: 11, to: 17 }], 5);
      manuscript.penDown({ from: 11, to: 17 });
      const words = ' 3.\n\n4. 5.\n6.'.slice(draw(3));
      for (let length = 1; length <= words.length; length += 1) {
        manuscript.write(words.slice(0, length), 'b');
        for (let n = draw(3); n > 0; n -= 1) {
          const { state } = manuscript;
          const [from, to] = [draw(state.value.doc.content.size), draw(3)];
          const end = Math.min(from + to, state.value.doc.content.size - 1);
          if (from > 0) manuscript.apply(state.value.tr.replaceWith(from, Math.max(from, end), schema.text('x')));
        }
      }
      const { doc, selection } = manuscript.state.value;
      const place = manuscript.places.value.find(({ take }) => take === 'b')!;
      manuscript.penUp();
      expect(manuscript.state.value.doc.toJSON()).toEqual(doc.toJSON());
      expect(manuscript.state.value.selection.toJSON()).toEqual(selection.toJSON());
      undoOnce();
      expect(manuscript.places.value.map(({ take }) => take)).toEqual(['a']);
      expect(manuscript.text.value.slice(place.from).startsWith('Three.')).toBe(true);
      for (let step = 0; step < 100; step += 1) undoOnce();
      expect(manuscript.text.value).toBe('One. Two.\n\nThree. Four.\n\nFive.');
    }
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
