// The package through bundlers, as their users set them up.
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { build as viteBuild, createServer as createViteServer } from 'vite';
import { root, run, StepError } from '../steps.mjs';
import { folder, installed, project, versionIn, versionOf } from './site.mjs';

/**
 * esbuild and Rollup do not move the file that the package names: it is laid beside the bundle.
 * @param {string} name
 * @param {string} command
 * @param {(entry: string, bundle: string) => string[]} options
 */
const withFileBeside = (name, command, options) => ({
  name,
  version: () => versionOf(command),
  make: async (/** @type {string} */ site) => {
    const path = await project(command, 'dist/bundle.js');
    const args = options(join(path, 'main-beside.js'), join(path, 'dist/bundle.js'));
    await run(join(folder, 'node_modules/.bin', command), args, { cwd: 'build/install', quiet: true });
    await cp(join(installed, 'wasm/quillmate.wasm'), join(path, 'dist/quillmate.wasm'));
    return { page: `${site}/${command}/index.html` };
  },
});

const viteVersion = () => versionIn(join(root, 'node_modules/vite'));

/** @param {string} name @param {string} main @param {object} options */
const viteServer = (name, main, options) => ({
  name,
  version: viteVersion,
  make: async () => {
    const path = await project(main.replace('.', '-'), `/${main}`);
    const server = await createViteServer({
      root: path,
      configFile: false,
      logLevel: 'error',
      base: '/app/',
      server: { host: '127.0.0.1', port: 0 },
      ...options,
    });
    await server.listen();
    return { page: server.resolvedUrls?.local[0] ?? '', close: () => server.close() };
  },
});

/** @type {import('./site.mjs').Environment[]} */
export const bundlerEnvironments = [
  withFileBeside('esbuild', 'esbuild', (entry, bundle) => [entry, '--bundle', '--format=esm', `--outfile=${bundle}`]),
  withFileBeside('Rollup', 'rollup', (entry, bundle) => {
    const plugin = ['--plugin', '@rollup/plugin-node-resolve={ browser: true }'];
    return [entry, '--format', 'es', '--file', bundle, ...plugin];
  }),
  {
    name: 'webpack',
    version: () => versionOf('webpack'),
    make: async (site) => {
      const path = await project('webpack', 'dist/bundle.js');
      /** @typedef {(error: Error | null, stats?: { hasErrors(): boolean, toString(): string }) => void} Done */
      /** @type {{ default: (options: object) => { run(done: Done): void } }} */
      const { default: webpack } = await import(join(folder, 'node_modules/webpack/lib/index.js'));
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
    version: viteVersion,
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
  viteServer('Vite, dev, base /app/', 'main.js', { optimizeDeps: { exclude: ['quillmate-sampler'] } }),
  viteServer('Vite, dev with pre-bundling, base /app/', 'main-url.js', {}),
];
