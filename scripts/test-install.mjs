// npm run test:install: the packed package, installed and used as its users would, once with each tool. Not in npm test.
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { extname, join } from 'node:path';
import { chromium } from 'playwright';
import { build as viteBuild, createServer as createViteServer } from 'vite';
import { launchOptions } from './chromium.mjs';
import { pack } from './package.mjs';
import { prepareAndBuild } from './project.mjs';
import { main, root, run, step, StepError } from './steps.mjs';

const folder = join(root, 'build/install');
const installed = join(folder, 'node_modules/quillmate-sampler');
const tools = join(root, 'tests/install/node_modules');
/** What an environment may come to. */
const right = new Set(['token 3', 'types found']);
const policy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'; base-uri 'none'";
/** @type {Record<string, string>} */
const types = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
};

/** @param {string} name */
const versionOf = async (name) =>
  /** @type {{ version: string }} */ (JSON.parse(await readFile(join(name, 'package.json'), 'utf8'))).version;

/**
 * Serves the folder of the tests under a strict policy.
 * @returns {Promise<{ url: string, close: () => void }>}
 */
async function serve() {
  const server = createHttpServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    readFile(join(folder, pathname)).then(
      (content) => {
        const type = types[extname(pathname)] ?? 'text/plain';
        response.writeHead(200, { 'content-type': type, 'content-security-policy': policy }).end(content);
      },
      () => response.writeHead(404).end(),
    );
  });
  await new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => {
      resolve(undefined);
    }),
  );
  const address = server.address();
  if (address === null || typeof address === 'string') throw new StepError('the server has no port');
  return { url: `http://127.0.0.1:${address.port}`, close: () => server.close() };
}

/** A copy of the application, with its page. @param {string} name @param {string} script */
async function project(name, script) {
  const path = join(folder, name);
  await cp(join(root, 'tests/install/app'), path, { recursive: true });
  const page = join(path, 'index.html');
  await writeFile(page, (await readFile(page, 'utf8')).replace('SCRIPT', script));
  return path;
}

/** @param {string} path where the bundle went */
const layBeside = (path) => cp(join(installed, 'wasm/quillmate.wasm'), join(path, 'quillmate.wasm'));

/**
 * What each tool is, and how it makes a page, whose address it returns, or a token itself.
 * @type {{ name: string, version: () => Promise<string>, make: (site: string) => Promise<{ page: string, close?: () => Promise<void> } | { result: string }> }[]}
 */
const environments = [
  {
    name: 'Node, ES modules',
    version: () => Promise.resolve(process.version),
    make: async () => {
      const path = await project('node', '');
      return {
        result: `token ${(await run('node', ['node.js'], { cwd: path.slice(root.length), quiet: true })).trim()}`,
      };
    },
  },
  ...['Bundler', 'Node16'].map((moduleResolution) => ({
    name: `TypeScript, moduleResolution ${moduleResolution}`,
    version: () => versionOf(join(root, 'node_modules/typescript')),
    make: async () => {
      const path = await project(`types-${moduleResolution}`, '');
      const module = moduleResolution === 'Bundler' ? 'ESNext' : moduleResolution;
      const lib = ['ES2022', 'DOM', 'ESNext.Disposable'];
      const compilerOptions = {
        noEmit: true,
        strict: true,
        target: 'ES2022',
        lib,
        types: [],
        module,
        moduleResolution,
      };
      await writeFile(join(path, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['types.ts'] }));
      await run('tsc', ['--project', path], { quiet: true });
      return { result: 'types found' };
    },
  })),
  {
    name: 'plain script, strict policy',
    version: () => Promise.resolve('-'),
    make: async (site) => {
      const path = await project('plain', 'main.js');
      const draw = await readFile(join(path, 'draw.js'), 'utf8');
      const address = '../node_modules/quillmate-sampler/dist/index.js';
      await writeFile(join(path, 'draw.js'), draw.replace("from 'quillmate-sampler'", `from '${address}'`));
      return { page: `${site}/plain/index.html` };
    },
  },
  {
    name: 'module worker, strict policy',
    version: () => Promise.resolve('-'),
    make: async (site) => {
      const path = await project('worker', 'page.js');
      const draw = await readFile(join(path, 'draw.js'), 'utf8');
      const address = '../node_modules/quillmate-sampler/dist/index.js';
      await writeFile(join(path, 'draw.js'), draw.replace("from 'quillmate-sampler'", `from '${address}'`));
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
    name: 'esbuild',
    version: () => versionOf(join(tools, 'esbuild')),
    make: async (site) => {
      const path = await project('esbuild', 'dist/bundle.js');
      const entry = join(path, 'main-beside.js');
      const options = ['--bundle', '--format=esm', `--outfile=${join(path, 'dist/bundle.js')}`];
      await run(join(tools, '.bin/esbuild'), [entry, ...options], { quiet: true });
      await layBeside(join(path, 'dist'));
      return { page: `${site}/esbuild/index.html` };
    },
  },
  {
    name: 'Rollup',
    version: () => versionOf(join(tools, 'rollup')),
    make: async (site) => {
      const path = await project('rollup', 'dist/bundle.js');
      const entry = join(path, 'main-beside.js');
      const plugin = ['--plugin', '@rollup/plugin-node-resolve={ browser: true }'];
      const options = ['--format', 'es', '--file', join(path, 'dist/bundle.js'), ...plugin];
      await run(join(tools, '.bin/rollup'), [entry, ...options], { cwd: 'tests/install', quiet: true });
      await layBeside(join(path, 'dist'));
      return { page: `${site}/rollup/index.html` };
    },
  },
  {
    name: 'webpack',
    version: () => versionOf(join(tools, 'webpack')),
    make: async (site) => {
      const path = await project('webpack', 'dist/bundle.js');
      /** @typedef {(error: Error | null, stats?: { hasErrors(): boolean, toString(): string }) => void} Done */
      /** @type {{ default: (options: object) => { run(done: Done): void } }} */
      const { default: webpack } = await import(join(tools, 'webpack/lib/index.js'));
      const output = { path: join(path, 'dist'), filename: 'bundle.js' };
      const compiler = webpack({ mode: 'production', context: path, entry: './main.js', output });
      await new Promise((resolve, reject) => {
        compiler.run((error, stats) => {
          if (stats?.hasErrors() === false) resolve(undefined);
          else reject(error ?? new StepError(stats?.toString()));
        });
      });
      return { page: `${site}/webpack/index.html` };
    },
  },
  {
    name: 'Vite, build, base /app/',
    version: () => versionOf(join(root, 'node_modules/vite')),
    make: async (site) => {
      const path = await project('vite', '/main.js');
      await viteBuild({
        root: path,
        configFile: false,
        logLevel: 'error',
        base: '/app/',
        build: { target: 'es2022', outDir: join(folder, 'app'), emptyOutDir: true },
      });
      return { page: `${site}/app/index.html` };
    },
  },
  {
    name: 'Vite, dev, base /app/',
    version: () => versionOf(join(root, 'node_modules/vite')),
    make: async () => {
      const path = await project('vite-dev', '/main.js');
      const server = await createViteServer({
        root: path,
        configFile: false,
        logLevel: 'error',
        base: '/app/',
        server: { host: '127.0.0.1', port: 0 },
        optimizeDeps: { exclude: ['quillmate-sampler'] },
      });
      await server.listen();
      return { page: server.resolvedUrls?.local[0] ?? '', close: () => server.close() };
    },
  },
];

export async function testInstall() {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts'];
  await run('npm', ['install', ...quiet, '--prefix', folder, await pack()], { cwd: 'build/install', quiet: true });

  const site = await serve();
  const browser = await chromium.launch(launchOptions);
  /** @type {{ environment: string, version: string, result: string }[]} */
  const table = [];
  for (const { name, version, make } of environments) {
    let result;
    try {
      const made = await make(site.url);
      if ('result' in made) {
        ({ result } = made);
      } else {
        const page = await browser.newPage();
        await page.goto(made.page);
        await page.waitForFunction(() => document.title !== 'loading');
        result = `token ${await page.title()}`;
        await page.close();
        await made.close?.();
      }
    } catch (thrown) {
      result = thrown instanceof Error ? thrown.message : String(thrown);
    }
    table.push({ environment: name, version: await version(), result });
  }
  await browser.close();
  site.close();
  console.table(table);
  const failed = table.filter(({ result }) => !right.has(result)).map(({ environment }) => environment);
  if (failed.length > 0) throw new StepError(`it does not work in: ${failed.join('; ')}`);
}

if (process.argv[1] === import.meta.filename) {
  await main(async () => {
    await prepareAndBuild();
    const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
    await step('bundlers', () => run('npm', options, { cwd: 'tests/install' }));
    await step('the package in projects', testInstall);
    await step('the library in a project of C++', async () => {
      await run('cmake', ['--preset', 'native-release'], { quiet: true });
      await run('cmake', ['--build', '--preset', 'native-release', '--target', 'quillmate_sampler']);
      await run('ctest', ['--preset', 'native-release', '-C', 'sources', '-R', '^install']);
    });
  });
}
