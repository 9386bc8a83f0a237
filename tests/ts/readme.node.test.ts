import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('the example in the README runs, and a resumed generator goes on with the same token', async () => {
  const readme = await readFile('README.md', 'utf8');
  const example = /```js\n(.*?)```/s.exec(readme)?.[1];
  expect(example).toBeDefined();
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', example!]);
  const [draw, later = ''] = stdout.trim().split('\n');
  expect(draw).toBe('3');
  const [resumed, straight] = later.split(' ');
  expect(resumed).toMatch(/^[0-3]$/);
  expect(resumed).toBe(straight);
});
