// The code in the repository's texts, for the tests that run it: each piece says in a comment above it which test that is.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryFiles, root } from './steps.mjs';

/**
 * @typedef {object} Snippet
 * @property {string} file the text that it is in
 * @property {string} language
 * @property {string} code
 * @property {string | undefined} runner the test that runs it
 */

/**
 * All fenced code of a text.
 * @param {string} file from the repository's root
 * @returns {Promise<Snippet[]>}
 */
export async function snippetsOf(file) {
  const text = await readFile(join(root, file), 'utf8');
  const fences = text.matchAll(/(?:<!-- (?:[^>]*? )?run by (\S+) -->\s*)?^```(\w*)\n(.*?)^```$/gms);
  return [...fences].map(([, runner, language = '', code = '']) => ({ file, language, code, runner }));
}

/** Those of all texts. */
export async function allSnippets() {
  return (await Promise.all((await repositoryFiles('*.md')).map(snippetsOf))).flat();
}

/**
 * What a piece of JavaScript says that it prints: behind each line that logs, up to a comma and a space, after which it
 * may say more.
 * @param {string} code
 */
export function saidOutput(code) {
  return [...code.matchAll(/^ *console\.log\(.*\/\/ (.+)$/gm)].map(([, said = '']) => said.split(', ')[0]);
}
