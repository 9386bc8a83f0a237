import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('the example in the README prints what it says, a resumed generator the same token as the first', async () => {
  const readme = await readFile('README.md', 'utf8');
  const example = /```js\n(.*?)```/s.exec(readme)?.[1] ?? '';
  const said = [...example.matchAll(/^console\.log.*\/\/ ([\d ]+),/gm)].map(([, output]) => output);
  expect(said).toHaveLength(2);
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', example]);
  expect(stdout.trim().split('\n')).toEqual(said);
  const [resumed, straight] = said[1]?.split(' ') ?? [];
  expect(resumed).toBe(straight);
});
