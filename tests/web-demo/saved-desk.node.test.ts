import { readFile } from 'node:fs/promises';
import type { StoredStory } from 'quillmate-sampler/store';
import { expect, test } from 'vitest';
import { fromStory, readStoryLabel, toStory, type SavedDesk } from '../../web-demo/src/keeping/saved-desk.js';
import { firstDials } from '../../web-demo/src/writing/dials.js';
import {
  fromLinkText,
  longestShared,
  readShared,
  toLinkText,
  toShared,
} from '../../web-demo/src/writing/shared-passage.js';
import { nextSeed, type Take } from '../../web-demo/src/writing/take.js';

const [first] = (
  JSON.parse(await readFile(new URL('../e2e/first-version.json', import.meta.url), 'utf8')) as {
    stories: [StoredStory];
  }
).stories;

/** The take that the first version of the page kept. */
function firstTake(): Take {
  const [take] = fromStory(first).takes;
  if (!take) throw new Error('it has none');
  return take;
}

test('the only story of the first version keeps its settings and its passage', () => {
  const desk = fromStory(first);
  expect(readStoryLabel(first.data)).toBeNull();
  expect(desk.dials).toMatchObject({ seed: '7', length: '40' });
  const take = firstTake();
  expect(first.text.endsWith(take.text)).toBe(true);
  expect(take.state).toEqual(first.state);
  expect(take.begin).toBe(take.state.promptLength);
  expect(desk.places).toEqual([{ take: take.id, from: first.text.length - take.text.length, to: first.text.length }]);
});

test('what is saved comes back, and a run with it', () => {
  const take = firstTake();
  const desk: SavedDesk = {
    label: { title: 'Rain', opening: 'It was', words: 6, deletedAt: null },
    dials: fromStory(first).dials,
    takes: [take, { ...take, id: 'second', starred: true }],
    places: [{ take: take.id, from: 5, to: 9 }],
    caret: 9,
    run: { takes: [{ id: 'second', until: 50 }], inStory: { take: 'second', from: 9, to: 9 } },
  };
  const story = toStory('rain', first.text, desk);
  const { label, ...rest } = desk;
  expect(fromStory(structuredClone(story))).toEqual(rest);
  expect(readStoryLabel(story.data)).toEqual(label);
});

test('what this page did not write leaves the text', () => {
  const empty = { dials: firstDials(), takes: [], places: [], caret: 4, run: null };
  for (const data of [undefined, null, 5, { dials: { seed: 1 } }]) {
    expect(fromStory({ text: 'Text', state: null, data })).toEqual(empty);
  }
  expect(fromStory({ text: 'Text', state: null, body: { takes: 1, places: [] } })).toEqual(empty);
});

test('what is damaged is left out, and the rest stays', () => {
  const take = firstTake();
  const [from, to] = [0, 4];
  const damaged = [
    '{"id":"t","passage":"p"}',
    'null',
    '{',
    5,
    JSON.stringify({ ...take, id: 'a', state: { ...take.state, settings: null } }),
    JSON.stringify({ ...take, id: 'b', begin: take.state.tokens.length + 1 }),
  ];
  const places = [
    { take: take.id, from, to },
    { take: 't', from, to },
    { take: take.id, from: 5, to: 5000 },
    { take: take.id, from: '0', to },
    { take: take.id, from: to, to: from },
    null,
  ];
  const body = { takes: [...damaged, JSON.stringify(take)], places, caret: 5000 };
  const runs = [{}, { takes: 1, inStory: null }, { takes: [{ id: 't', until: 5 }], inStory: null }];
  runs.push({ takes: [{ id: take.id, until: 5 }], inStory: { take: take.id, from: 5, to: 5000 } } as object);
  for (const run of runs) {
    const desk = fromStory({ text: first.text, state: null, data: { run }, body });
    expect(desk).toMatchObject({ takes: [take], places: places.slice(0, 1), caret: first.text.length, run: null });
  }
});

test('a dial from elsewhere that is no text, or none that it takes, is the first one', () => {
  const own = { seed: '7', temperature: '1', topK: '5', topP: '0.5', length: '40' };
  const dialsOf = (dials: object) => fromStory({ text: 'Text', state: null, data: { dials } }).dials;
  const { temperature, topP, length } = firstDials();
  expect(dialsOf(own)).toEqual(own);
  expect(dialsOf({ ...own, temperature: 'abc', length: '2000' })).toEqual({ ...own, temperature, length });
  expect(dialsOf({ ...own, temperature: 1, topP: undefined })).toEqual({ ...own, temperature, topP });
  expect(dialsOf([])).toEqual(firstDials());
});

test('a passage goes through a link, and a link that is cut is none', async () => {
  const shared = toShared(firstTake(), 'Rain');
  expect(shared).toMatchObject({
    seed: '7',
    tokens: 40,
    prompt: first.state?.tokens.slice(0, first.state.promptLength),
  });
  const link = await toLinkText(shared);
  expect(link).toMatch(/^[\w-]+$/);
  expect(await fromLinkText(link)).toEqual(shared);
  for (const wrong of ['', 'x', link.slice(0, -20), `${link.slice(0, 20)}AAAA${link.slice(24)}`]) {
    expect(await fromLinkText(wrong)).toBeNull();
  }
});

test('a passage that is damaged anywhere is none, and none is written without end', () => {
  const shared = toShared(firstTake(), 'Rain');
  const { settings, prompt, tokens } = shared;
  const damages: Record<string, readonly unknown[]> = {
    format: ['quillmate-stories'],
    version: [2],
    title: [undefined, 5],
    prompt: [undefined, [], [1.5], [-1], ['1'], [2 ** 31], { length: 1 }],
    begin: [undefined, -1, 0.5, prompt.length + 1],
    afterSpace: [undefined, 'yes'],
    seed: [undefined, 7, '', '07', '-1', '1.5', '18446744073709551616'],
    settings: [
      undefined,
      null,
      {},
      5,
      { ...settings, temperature: '0.8' },
      { ...settings, temperature: -1 },
      { ...settings, temperature: Infinity },
      { ...settings, topP: 1.01 },
      { ...settings, topP: null },
      { ...settings, topK: 0.5 },
      { ...settings, topK: -1 },
      { ...settings, topK: 2 ** 53 },
    ],
    tokens: [undefined, 0, -1, 1.5, '40', 100_000, longestShared + 1],
    model: [undefined, 5, { name: 5 }],
    chain: [undefined, 5],
  };
  for (const [field, values] of Object.entries(damages)) {
    for (const value of values)
      expect(readShared({ ...shared, [field]: value }), `${field}: ${String(value)}`).toBeNull();
  }
  expect(readShared(null)).toBeNull();
  expect(readShared({ ...shared, model: null, chain: null })).toEqual({ ...shared, model: null, chain: null });
  const longest = { ...shared, tokens: longestShared };
  expect(readShared(longest)).toEqual(longest);
  // The words that were chosen and not drawn are part of it, and take no time.
  const branched = { ...shared, begin: prompt.length - 2 };
  expect(readShared({ ...branched, tokens: 1 })).toBeNull();
  expect(readShared({ ...branched, tokens: longestShared + 2 })).not.toBeNull();
  // Settings that the sampler does not know would be refused by it later.
  expect(readShared({ ...shared, settings: { ...settings, audit: 'off' } })).toEqual(shared);
  expect(tokens).toBe(40);
});

test('the next seed is the first that no take of the passage has', () => {
  const take = firstTake();
  const last = { ...take, state: { ...take.state, seed: '18446744073709551615' } };
  expect(nextSeed([take, last], take.passage, '7')).toBe('8');
  expect(nextSeed([take, last], take.passage, '9')).toBe('9');
  expect(nextSeed([take, last], take.passage, '18446744073709551615')).toBe('0');
  expect(nextSeed([take], 'another', '7')).toBe('7');
});
