import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const page = await readFile('docs/speculative.md', 'utf8');
const examples = [...page.matchAll(/```js\n(.*?)```/gs)].map(([, code = '']) => ({
  code,
  said: [...code.matchAll(/^console\.log.*\/\/ (.+)$/gm)].map(([, output]) => output),
}));

test('docs/speculative.md has two examples', () => {
  expect(examples.map(({ said }) => said.length)).toEqual([3, 2]);
});

test.each(examples)('an example in docs/speculative.md prints $said', async ({ code, said }) => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code]);
  expect(stdout.trim().split('\n')).toEqual(said);
});
