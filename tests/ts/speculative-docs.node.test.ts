import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('the example in docs/speculative.md prints what it says', async () => {
  const page = await readFile('docs/speculative.md', 'utf8');
  const example = /```js\n(.*?)```/s.exec(page)?.[1] ?? '';
  const said = [...example.matchAll(/^console\.log.*\/\/ (.+)$/gm)].map(([, output]) => output);
  expect(said).toHaveLength(3);
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', example]);
  expect(stdout.trim().split('\n')).toEqual(said);
});
