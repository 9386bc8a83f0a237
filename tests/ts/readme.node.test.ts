import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const readme = await readFile('README.md', 'utf8');
const packageReadme = await readFile('ts/README.md', 'utf8');
const examples = [
  ...(readme + packageReadme).matchAll(/<!-- run by tests\/ts\/readme\.node\.test\.ts -->\s*```js\n(.*?)```/gs),
].map(([, code = '']) => ({
  code,
  imports: /from '(.*)';\n\n/.exec(code)?.[1],
  said: [...code.matchAll(/^console\.log.*\/\/ ([\d ]+),/gm)].map(([, output]) => output),
}));

test.each(examples)('the example with $imports in a README prints what it says', async ({ code, said }) => {
  expect(said).toHaveLength(code.match(/^console\.log/gm)?.length ?? 0);
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code]);
  expect(stdout.trim().split('\n')).toEqual(said);
});

test('a resumed generator draws the same token as the first in one, a guessing one the same text as the plain in another', () => {
  const [first, second, third] = examples.map(({ said }) => said);
  const [resumed, straight] = first?.[1]?.split(' ') ?? [];
  expect(resumed).toBe(straight);
  expect(second?.[1]).toBe(second?.[0]);
  const [again, onward] = third?.[1]?.split(' ') ?? [];
  expect(again).toBe(onward);
  expect(examples).toHaveLength(3);
});
