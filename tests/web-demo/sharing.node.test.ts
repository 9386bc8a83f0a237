import { signal } from '@preact/signals';
import { loadSampler, type Model } from 'quillmate-sampler';
import { expect, test } from 'vitest';
import type { Stories } from '../../web-demo/src/library/stories.js';
import type { StoryText } from '../../web-demo/src/library/story-files.js';
import type { LoadedModel } from '../../web-demo/src/models/loaded-model.js';
import { readDials, type DialTexts } from '../../web-demo/src/writing/dials.js';
import type { Machine } from '../../web-demo/src/writing/machine.js';
import type { OpenStory } from '../../web-demo/src/writing/open-story.js';
import type { Passages } from '../../web-demo/src/writing/passages.js';
import {
  fromLinkText,
  longestShared,
  readSharedFile,
  toLinkText,
  type SharedPassage,
} from '../../web-demo/src/writing/shared-passage.js';
import { Sharing } from '../../web-demo/src/writing/sharing.js';
import { countTokens, type Take } from '../../web-demo/src/writing/take.js';
import { Troubles } from '../../web-demo/src/writing/troubles.js';

const vocabSize = 16;
const sampler = await loadSampler();
const model: Model = () => new Float32Array(vocabSize);
const engine = {
  sampler,
  model: Object.assign(model, { vocabSize }),
  tokenizer: { text: (tokens: readonly number[]) => tokens.map((token) => ` ${token}`).join('') },
} as unknown as LoadedModel;

/** Sharing on a page whose machine only notes what it is to write. */
function sharing(take: Take) {
  const troubles = new Troubles();
  const stories: { text: StoryText; dials: DialTexts }[] = [];
  const written: Take[] = [];
  const said: string[] = [];
  const machine = {
    engine: signal(engine),
    write: ([take]: Take[]) => Promise.resolve(take && written.push(take)),
    say: (outcome: string) => said.push(outcome),
  };
  const own = new Sharing(
    { label: signal({ title: 'Rain', opening: '' }), takes: signal(new Map()) } as unknown as OpenStory,
    machine as unknown as Machine,
    { standing: signal({ take, from: 0, to: 0, tokens: countTokens(take) }) } as unknown as Passages,
    {
      add: (text: StoryText, dials: DialTexts) => Promise.resolve(stories.push({ text, dials }) > 0),
    } as unknown as Stories,
    troubles,
  );
  return { own, troubles: troubles.all, stories, written, said };
}

function offered({ own }: ReturnType<typeof sharing>): SharedPassage {
  const passage = own.offer();
  if (!passage) throw new Error('nothing is offered');
  return passage;
}

async function takeOf(tokens: number): Promise<Take> {
  const generator = new sampler.Generator(model, [0, 1, 2], { seed: '7', temperature: 1e-7, audit: 'full' });
  await generator.run({ maxTokens: tokens });
  const state = generator.state();
  generator.dispose();
  return { id: 'a', passage: 'a', state, begin: 3, wanted: tokens, afterSpace: false, text: '', starred: false };
}

test('a passage that is longer than a run can be is written whole, in a story whose dials can be used', async () => {
  const page = sharing(await takeOf(2000));
  const { own, stories, written } = page;
  const passage = offered(page);
  expect(passage).toMatchObject({ tokens: 2000 });
  expect(await own.openLink(await toLinkText(passage))).toBe(true);
  expect(written.map(({ wanted }) => wanted)).toEqual([2000]);
  const [story] = stories;
  expect(story && readDials(story.dials)).toEqual({
    dials: { seed: '7', temperature: 1e-7, topK: 0, topP: 1, length: 1000 },
  });
});

test('of a passage that no link may ask for its beginning is shared, and that is told', async () => {
  const page = sharing(await takeOf(longestShared + 1));
  const passage = offered(page);
  expect(passage).toMatchObject({ tokens: longestShared });
  expect(await fromLinkText(await toLinkText(passage))).toEqual(passage);
  expect(page.said).toEqual(['The passage is longer than what may be shared: these are its first 10000 tokens.']);
});

test('what is damaged, or begins with tokens that the model does not have, is refused before there is a story', async () => {
  const page = sharing(await takeOf(10));
  const { own, troubles, stories, written } = page;
  const passage = offered(page);
  const told = async (change: object) => {
    expect(await own.openLink(await toLinkText({ ...passage, ...change }))).toBe(false);
    return troubles.value.get('share');
  };
  for (const change of [{ settings: {} }, { settings: null }, { prompt: [], begin: 0 }, { tokens: 100_000 }]) {
    expect(await told(change)).toMatch(/^What was shared is not whole/);
  }
  for (const token of [vocabSize, 2 ** 31 - 1]) {
    expect(await told({ prompt: [0, token, 1] })).toMatch(/^The model in use does not have all the tokens/);
  }
  expect(stories).toEqual([]);
  expect(written).toEqual([]);
  expect(await own.openLink(await toLinkText({ ...passage, prompt: [0, vocabSize - 1, 1] }))).toBe(true);
});

test('of files, a damaged passage is told from what is none', async () => {
  const passage = offered(sharing(await takeOf(10)));
  const read = (content: string, name: string) => readSharedFile(new File([content], name));
  const whole = JSON.stringify(passage);
  expect(await read(whole, 'renamed.JSON')).toEqual(passage);
  expect(await read(JSON.stringify({ ...passage, seed: 7 }), 'renamed.json')).toBeNull();
  expect(await read(whole.slice(0, -40), 'A winter night.quillmate.json')).toBeNull();
  expect(await read(whole.slice(0, -40), 'renamed.json')).toBeUndefined();
  expect(await read('[]', 'library.json')).toBeUndefined();
  expect(await read(whole, 'text.txt')).toBeUndefined();
});
