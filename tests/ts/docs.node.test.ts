import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { allSnippets, saidOutput } from '../../scripts/snippets.mjs';

const run = promisify(execFile);
const program = /^(?:js|ts|jsx|tsx|html|cpp|cmake)$/;
const snippets = (await allSnippets()).filter(({ language }) => program.test(language));
const texts = [...new Set(snippets.map(({ file }) => file))];
const ours = snippets.filter(({ runner }) => runner === 'tests/ts/docs.node.test.ts');

test.each(texts)('all programs in %s are run by a test that knows of it', async (text) => {
  for (const { file, code, runner } of snippets.filter(({ file }) => file === text)) {
    expect(runner, `no test runs this:\n${code}`).toBeDefined();
    if (runner === 'tests/ts/docs.node.test.ts') continue;
    expect(await readFile(runner!, 'utf8'), runner).toContain(file.split('/').at(-1));
  }
});

describe.each(texts)('in %s', (text) => {
  const here = ours.filter(({ file }) => file === text).map(({ code }) => ({ code, said: saidOutput(code) }));
  if (here.length > 0) {
    test.each(here)('an example prints $said', async ({ code, said }) => {
      expect(said.length).toBeGreaterThan(0);
      expect(said).toHaveLength(code.match(/console\.log/g)?.length ?? 0);
      const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', code]);
      expect(stdout.trim().split('\n')).toEqual(said);
    });
  }
});

test('the README shows that what is resumed goes on alike, and what is guessed reads alike', () => {
  const said = ours.filter(({ file }) => file.endsWith('README.md')).map(({ code }) => saidOutput(code));
  const twice = said.flat().filter((output = '') => /^(\d+) \1$/.test(output));
  expect(twice).toEqual(['2 2', '2 2']);
  const [plain, guessing] = said.find((outputs) => outputs.some((output) => output?.startsWith('2 3 0 1'))) ?? [];
  expect(guessing).toBe(plain);
});
