// The steps that the scripts share, in the order in which they need one another.
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { markBuilds } from './build-ids.mjs';
import { checkSource } from './check-source.mjs';
import { generateErrorCodes } from './generate-error-codes.mjs';
import { repositoryFiles, root, run, step, whenChanged } from './steps.mjs';

/** @param {'build' | 'test' | 'browsers' | 'engines' | 'fuzz' | 'statistics' | 'docs'} purpose */
export async function systemPackages(purpose) {
  await step('system packages', () => run('scripts/system-packages.sh', [purpose]));
}

export async function nodeModules() {
  await step('npm packages', async () => {
    if (await isInstalled()) console.log('in place');
    else await run('npm', ['ci', '--no-audit', '--no-fund']);
  });
}

// npm's own note of what it installed, compared with the lock: packages for other platforms are in the lock only.
async function isInstalled() {
  /** @typedef {{ version?: string, integrity?: string, optional?: boolean }} Package */
  /** @param {string} file */
  const packages = async (file) => {
    /** @type {{ packages: Record<string, Package> }} */
    const lock = JSON.parse(await readFile(join(root, file), 'utf8'));
    return lock.packages;
  };
  const wanted = await packages('package-lock.json');
  const present = await packages('node_modules/.package-lock.json').catch(() => undefined);
  return (
    present !== undefined &&
    Object.entries(wanted)
      .filter(([path, { optional }]) => path.includes('node_modules/') && optional !== true)
      .every(([path, { version, integrity }]) => {
        const found = present[path];
        return found !== undefined && found.version === version && found.integrity === integrity;
      })
  );
}

export async function toolchain() {
  await step('WebAssembly toolchain', () => run('wasm/toolchain.sh', []));
}

/**
 * @param {string} preset
 * @param {string} target
 */
export async function cmake(preset, target = 'all') {
  await run('cmake', ['--preset', preset], { quiet: true });
  await run('cmake', ['--build', '--preset', preset, '--target', target]);
}

/** The WebAssembly modules, the package and the page. */
export async function build() {
  await step('WebAssembly module', () => cmake('wasm-release'));
  await step('WebAssembly module without SIMD', () => cmake('wasm-scalar'));
  await step('TypeScript package', async () => {
    await generateErrorCodes();
    await markBuilds();
    await whenChanged(
      {
        name: 'package',
        inputs: ['ts/src', 'ts/wasm', 'ts/package.json', 'ts/tsconfig.json', 'tsconfig.base.json', 'package-lock.json'],
        output: 'ts/dist',
      },
      async () => {
        await rm(join(root, 'ts/dist'), { recursive: true, force: true });
        // With the comments: one tells bundlers to leave an import alone. They take them out themselves.
        await run('tsc', ['--project', 'ts']);
        // The command is a user of the package, by its types too; nobody imports it.
        await run('tsc', ['--project', 'ts/src/command', '--declaration', 'false', '--declarationMap', 'false']);
      },
    );
  });
  await step('page', () =>
    whenChanged(
      {
        name: 'page',
        inputs: [
          'src',
          'public',
          'vite',
          'index.html',
          'explorer.html',
          'package.json',
          'tsconfig.json',
          'vite.config.ts',
        ]
          .map((path) => `web-demo/${path}`)
          .concat('ts/dist', 'ts/wasm', 'ts/package.json', 'package-lock.json'),
        output: 'web-demo/dist',
      },
      () => run('npm', ['run', 'build', '--workspace', 'web-demo']),
    ),
  );
}

/** Everything that a build needs, then the build. */
export async function prepareAndBuild() {
  await systemPackages('build');
  await nodeModules();
  await toolchain();
  await build();
}

async function clangFormat(/** @type {string[]} */ ...options) {
  await run('clang-format', [...options, ...(await repositoryFiles('*.cpp', '*.hpp'))]);
}

export async function format() {
  await step('C++ format', () => clangFormat('-i'));
  await step('format', () => run('prettier', ['--write', '--log-level=warn', '.']));
}

/** Needs a build: the linter reads types. */
export async function lint() {
  await step('repository rules', checkSource);
  await step('C++ format', () => clangFormat('--dry-run', '-Werror'));
  await step('format', () => run('prettier', ['--check', '--log-level=warn', '.']));
  await step('types', async () => {
    for (const project of ['.', 'tests']) await run('tsc', ['--project', project]);
  });
  await step('linter', () => run('eslint', ['--max-warnings=0', '.']));
}

/** Transformers.js, which is installed for those who need it: with its native parts it is half a gigabyte. */
export async function transformersLibrary() {
  const version = '4.3.2';
  const prefix = join(root, 'build/transformers');
  const folder = join(prefix, 'node_modules/@huggingface/transformers');
  await step('Transformers.js', async () => {
    const installed = await readFile(join(folder, 'package.json'), 'utf8').catch(() => '{}');
    if (/** @type {{ version?: string }} */ (JSON.parse(installed)).version === version) return;
    const options = ['--prefix', prefix, '--ignore-scripts', '--no-audit', '--no-fund'];
    await run('npm', ['install', ...options, `@huggingface/transformers@${version}`]);
  });
  return { folder, version };
}
