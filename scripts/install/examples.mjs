// docs/examples, each as its text says.
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { root, run, StepError } from '../steps.mjs';
import { folder, installed, versionOf } from './site.mjs';

const path = join(folder, 'examples');
const sentence =
  'the small bird followed the king saw the fox saw the king saw the king followed a king followed the king saw a king saw a king followed the king';

/** A copy of the examples, with the package installed in it. */
export async function layExamples() {
  await cp(join(root, 'docs/examples'), path, { recursive: true });
  await cp(installed, join(path, 'node_modules/quillmate-sampler'), { recursive: true });
}

/** @param {string} name */
const page = (name) => ({
  name: `example: ${name}`,
  version: () => Promise.resolve('-'),
  make: (/** @type {string} */ site) =>
    Promise.resolve({ page: `${site}/examples/${name}/index.html`, text: sentence }),
});

/** @type {import('./site.mjs').Environment[]} */
export const exampleEnvironments = [
  page('html'),
  page('worker'),
  {
    name: 'example: react',
    version: () => versionOf('react'),
    make: async (site) => {
      await build({
        root: join(path, 'react'),
        configFile: join(path, 'react/vite.config.js'),
        logLevel: 'error',
        base: './',
        build: { target: 'es2022' },
      });
      return { page: `${site}/examples/react/dist/index.html`, text: sentence };
    },
  },
  {
    name: 'example: node',
    version: () => Promise.resolve(process.version),
    make: async () => {
      const write = () => run('node', ['node/write.mjs', 'tale.json'], { cwd: 'build/install/examples', quiet: true });
      const texts = [await write(), await write()].map((text) => text.trim());
      const right =
        texts[0] === 'the small bird followed the king' && texts[1] === `${texts[0]} saw the fox saw the king`;
      if (!right) throw new StepError(`it wrote: ${texts.join(' | ')}`);
      return { result: 'text as expected' };
    },
  },
];
