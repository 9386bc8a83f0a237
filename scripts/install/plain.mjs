// The package without a bundler: in Node, as a command, under TypeScript, in a page, a worker and a service worker.
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { snippetsOf } from '../snippets.mjs';
import { root, run, StepError } from '../steps.mjs';
import { folder, plainProject, project, versionIn } from './site.mjs';

/** @param {string} name @param {string} script */
const inNode = (name, script) => ({
  name,
  version: () => Promise.resolve(process.version),
  make: async () => {
    const path = await project(script.replace('.', '-'), '');
    const token = await run('node', [script], { cwd: relative(root, path), quiet: true });
    return { result: `token ${token.trim()}` };
  },
});

/** @param {string} moduleResolution */
const underTypeScript = (moduleResolution) => ({
  name: `TypeScript, moduleResolution ${moduleResolution}`,
  version: () => versionIn(join(root, 'node_modules/typescript')),
  make: async () => {
    const path = await project(`types-${moduleResolution}`, '');
    const compilerOptions = {
      noEmit: true,
      strict: true,
      target: 'ES2022',
      lib: ['ES2022', 'DOM', 'ESNext.Disposable'],
      types: [],
      module: moduleResolution === 'Bundler' ? 'ESNext' : moduleResolution,
      moduleResolution,
    };
    await writeFile(join(path, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['types.ts'] }));
    await run('tsc', ['--project', path], { quiet: true });
    return { result: 'types found' };
  },
});

/** The commands that ts/README.md shows, with the bundled model. */
async function runCommands() {
  const path = join(folder, 'command');
  await mkdir(path, { recursive: true });
  await cp(join(root, 'web-demo/public/models/quill-tales'), join(path, 'models/quill-tales'), { recursive: true });
  const shell = (await snippetsOf('ts/README.md')).filter(({ language }) => language === 'sh');
  const commands = shell.flatMap(({ code }) => code.split('\n')).filter((line) => line.startsWith('npx '));
  if (commands.length !== 3) throw new StepError(`ts/README.md shows ${commands.length} commands, not 3`);
  for (const command of commands) await run('bash', ['-c', command], { cwd: relative(root, path), quiet: true });
  return { result: 'commands run' };
}

/** @type {import('./site.mjs').Environment[]} */
export const plainEnvironments = [
  inNode('Node, import', 'node.js'),
  inNode('Node, require', 'require.cjs'),
  { name: 'npx quillmate-sampler', version: () => Promise.resolve(process.version), make: runCommands },
  underTypeScript('Bundler'),
  underTypeScript('Node16'),
  {
    name: 'plain script, strict policy',
    version: () => Promise.resolve('-'),
    make: async (site) => {
      await plainProject('plain', 'main.js');
      return { page: `${site}/plain/index.html` };
    },
  },
  {
    name: 'module worker, strict policy',
    version: () => Promise.resolve('-'),
    make: async (site) => {
      const path = await plainProject('worker', 'page.js');
      await writeFile(
        join(path, 'worker.js'),
        `import { draw } from './draw.js';\npostMessage(await draw().then(String, String));\n`,
      );
      await writeFile(
        join(path, 'page.js'),
        `new Worker('worker.js', { type: 'module' }).onmessage = ({ data }) => (document.title = data);\n`,
      );
      return { page: `${site}/worker/index.html` };
    },
  },
  {
    name: 'service worker, strict policy',
    version: () => Promise.resolve('-'),
    make: async (site) => {
      const path = await plainProject('service-worker', 'page.js');
      await writeFile(
        join(path, 'service-worker.js'),
        `import { draw } from './draw.js';
addEventListener('fetch', (event) => {
  if (!event.request.url.endsWith('/token')) return;
  event.respondWith(draw().then(String, String).then((token) => new Response(token)));
});
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
`,
      );
      await writeFile(
        join(path, 'page.js'),
        `const taken = new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', resolve));
await navigator.serviceWorker.register('service-worker.js', { type: 'module' });
await taken;
document.title = await (await fetch('token')).text();
`,
      );
      return { page: `${site}/service-worker/index.html` };
    },
  },
];
