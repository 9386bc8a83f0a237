// What no linter checks: rules about the repository's own text files.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { main, repositoryFiles, root, StepError } from './steps.mjs';

/** @type {{ what: string, files: RegExp, forbidden: RegExp }[]} */
const rules = [
  {
    what: 'the core knows nothing of JavaScript: no Emscripten in cpp/',
    files: /^cpp\//,
    forbidden: /#\s*include\s*[<"]emscripten|__EMSCRIPTEN__/,
  },
  {
    what: 'no host name of a package registry or mirror',
    files: /./,
    forbidden: /\b(?:deb|ftp|security|snapshot|archive|registry)\.(?:debian|ubuntu|npmjs|yarnpkg)\.(?:org|com)\b/,
  },
  {
    what: 'a dependency has one exact version',
    files: /(?:^|\/)package\.json$/,
    forbidden: /^ {4}"(?!node")[^"]+": "[~^]/,
  },
  {
    what: 'the type checker is not switched off',
    files: /\.[cm]?[jt]sx?$/,
    forbidden: /@ts-(?:nocheck|ignore)/,
  },
];
const binary = /\.(?:onnx|wasm|png|woff2?|ico|zst)$/;

/** Fails when a text file of the repository breaks one of the rules, and names every place. */
export async function checkSource() {
  const files = (await repositoryFiles()).filter((file) => file !== 'scripts/check-source.mjs' && !binary.test(file));
  /** @type {string[]} */
  const faults = [];
  const commands = await commandsOf(files);
  for (const file of files) {
    const text = await readFile(join(root, file), 'utf8');
    for (const [, name = ''] of text.matchAll(/npm run ([a-z]+(?::[a-z]+)*)/g)) {
      if (!commands.has(name)) faults.push(`${file}: there is no command npm run ${name}`);
    }
    for (const { what, forbidden } of rules.filter((rule) => rule.files.test(file))) {
      text.split('\n').forEach((line, i) => {
        if (forbidden.test(line)) faults.push(`${file}:${i + 1}: ${what}`);
      });
    }
  }
  if (faults.length > 0) throw new StepError(faults.join('\n'));
}

/** What `npm run` knows in any of the packages. @param {readonly string[]} files */
async function commandsOf(files) {
  const packages = files.filter((file) => file.endsWith('package.json'));
  const names = packages.map(async (file) => {
    /** @type {{ scripts?: Record<string, string> }} */
    const { scripts = {} } = JSON.parse(await readFile(join(root, file), 'utf8'));
    return Object.keys(scripts);
  });
  return new Set((await Promise.all(names)).flat());
}

if (process.argv[1] === import.meta.filename) await main(checkSource);
