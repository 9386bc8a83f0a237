import { readFile } from 'node:fs/promises';
import type { Generator } from 'quillmate-sampler';
import type { StoredStory } from 'quillmate-sampler/store';
import { expect, test } from 'vitest';
import { fromStory } from '../../web-demo/src/keeping/saved-desk.js';
import type { LoadedModel } from '../../web-demo/src/models/loaded-model.js';
import { outcomeOfReplay, outcomeOfRun, outcomeOfShared } from '../../web-demo/src/writing/outcomes.js';
import { countTokens, type Take } from '../../web-demo/src/writing/take.js';

const [story] = (
  JSON.parse(await readFile(new URL('../e2e/first-version.json', import.meta.url), 'utf8')) as {
    stories: [StoredStory];
  }
).stories;
const [take] = fromStory(story).takes as [Take];
const count = countTokens(take);

/** What a replay found whose row for a token of the take, counted from 1, was another. */
function replay(token: number | null, fields: readonly string[] = []): Generator {
  const mismatch = token === null ? undefined : { first: take.begin + token - 1 };
  return { mismatch, identityChanges: fields.map((field) => ({ field })) } as unknown as Generator;
}

/** The take with other words from a token on, or cut there. */
function changed(at: number, others: readonly number[]): Take {
  const tokens = [...take.state.tokens.slice(0, take.begin + at), ...others];
  return { ...take, state: { ...take.state, tokens } };
}

test('takes that were stopped are not called written', () => {
  const engine = { model: { eosTokenId: -1, eosTokenIds: [] } } as unknown as LoadedModel;
  const whole = { ...take, wanted: count };
  expect(outcomeOfRun(engine, [whole, whole], null)).toMatch(/^2 takes are written\./);
  expect(outcomeOfRun(engine, [whole, { ...changed(3, []), wanted: count }], null)).toMatch(/^Stopped before 2 takes/);
});

test('a passage that is written again says whether it is the same, and where the model’s numbers changed', () => {
  expect(outcomeOfReplay(replay(null), take, take)).toBe(`The same ${count} tokens again, word for word.`);
  expect(outcomeOfReplay(replay(null), take, changed(7, []))).toBe(
    `Stopped after 7 of ${count} tokens, the same so far.`,
  );
  expect(outcomeOfReplay(replay(3), take, take)).toBe(
    'The same words, although the model’s numbers differ from token 3 on.',
  );
  expect(outcomeOfReplay(replay(5, ['modelHash']), take, changed(6, [1]))).toMatch(
    /^Other words: the model’s numbers are not those of the first time from token 5 on \(of another model file\)\./,
  );
});

test('a passage from somebody else says whether the model is the same, and its numbers', () => {
  const { model = {}, audit } = take.state;
  const chain = audit?.chain ?? null;
  const said = (written: Take, identity = model, itsChain: string | null = 'x') =>
    outcomeOfShared(written, count, identity, itsChain);
  const audited: Take = {
    ...take,
    state: { ...take.state, audit: { from: 0, ...audit, chain: 'x' } },
  };
  expect(said(audited)).toMatch(/^The model is the same, and so are the words/);
  expect(said(audited, model, `${chain}y`)).toMatch(/^The model is the same, but its numbers are not/);
  expect(said(audited, { ...model, threads: '99' })).toMatch(/^The model is another \(its number of threads\)/);
  expect(said(changed(3, []))).toBe('Stopped before the end of what was shared.');
});
