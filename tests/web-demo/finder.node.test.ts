import { beforeEach, expect, test } from 'vitest';
import { Finder, mostFound } from '../../web-demo/src/story/finder.js';
import { Manuscript } from '../../web-demo/src/story/manuscript.js';

let manuscript: Manuscript;
let finder: Finder;

/** The offsets at which what is shown begins and ends. */
function shown(): unknown {
  return finder.found.value[finder.current.value ?? -1];
}

beforeEach(() => {
  manuscript = new Manuscript();
  manuscript.load('The “Rain” fell.\n\nRain, rain.', [], 20);
  finder = new Finder(manuscript);
});

test('nothing is found before it is looked for', () => {
  finder.look('rain');
  expect(finder.found.value).toEqual([]);
  finder.begin();
  expect(finder.found.value).toHaveLength(3);
  finder.look('  ');
  expect(finder.found.value).toEqual([]);
  expect(finder.current.value).toBeNull();
});

test('the first after the caret is shown and selected, and from the last on the first again', () => {
  finder.begin();
  finder.look('RAIN');
  expect(shown()).toEqual({ from: 24, to: 28 });
  expect(manuscript.selected.value).toEqual({ from: 24, to: 28 });
  finder.step(1);
  expect(shown()).toEqual({ from: 5, to: 9 });
  finder.step(-1);
  finder.step(-1);
  expect(shown()).toEqual({ from: 18, to: 22 });
  finder.look('"rain"');
  expect(shown()).toEqual({ from: 4, to: 10 });
});

test('what is typed meanwhile is looked through, too', () => {
  finder.begin();
  finder.look('rain');
  manuscript.apply(manuscript.state.value.tr.insertText('Rain. ', 1));
  expect(finder.found.value[0]).toEqual({ from: 0, to: 4 });
  finder.close();
  expect(finder.found.value).toEqual([]);
});

test('of a great many not all are marked', () => {
  manuscript.load('a'.repeat(2 * mostFound), [], 0);
  finder.begin();
  finder.look('a');
  expect(finder.found.value).toHaveLength(mostFound);
});
