// The engines and processors on which the sampler must draw the same tokens, and how each is made to run the vectors.
import { readFile } from 'node:fs/promises';
import { browsers } from './browsers.mjs';
import { root, run } from './steps.mjs';

/** @typedef {import('../tests/engines/runner.js')} Runner */
/** @typedef {import('../tests/engines/runner.js').Report} Report */
/** @typedef {'on' | 'off'} Simd which of the two modules the package loads */

/**
 * What an engine found: through the public interface, which all have, and behind it, where only C++ can look.
 * @typedef {{ package: Report, core?: Report }} Reports
 */

/**
 * @typedef {object} Engine
 * @property {string} name
 * @property {string} [needs] a flag in /proc/cpuinfo: that a processor lacks it is no failure
 * @property {boolean} [control] also runs vectors that must have another hash
 * @property {(vectors: string) => Promise<{ version: string, reports: Reports }>} run
 */

/**
 * A build of the core for one kind of processor.
 * @param {string} name
 * @param {{ compiler: string, march?: string, emulator?: string, level?: string } & Partial<Engine>} target
 * @returns {Engine}
 */
function native(name, { compiler, march, emulator, level = 'blocks', ...rest }) {
  return {
    name: `${name}, ${compiler}`,
    ...rest,
    async run(vectors) {
      const folder = `build/engines/${[compiler, march, level].filter((part) => part !== undefined).join('-')}`;
      const settings = {
        CMAKE_BUILD_TYPE: 'Release',
        CMAKE_CXX_COMPILER: compiler,
        CMAKE_CXX_FLAGS: march === undefined ? '' : `-march=${march}`,
        QUILLMATE_FIRST_LEVEL: level,
        QUILLMATE_BUILD_TESTS: 'OFF',
        QUILLMATE_BUILD_ENGINE: 'ON',
      };
      const definitions = Object.entries(settings).map(([key, value]) => `-D${key}=${value}`);
      await run('cmake', ['-S', '.', '-B', folder, '-G', 'Ninja', ...definitions], { quiet: true });
      await run('cmake', ['--build', folder], { quiet: true });
      const program = `${folder}/tests/engines/quillmate_engine`;
      const [command, ...args] = emulator === undefined ? [`./${program}`] : [emulator, program];
      const output = await run(command, [...args, vectors], { quiet: true });
      const version = await run(compiler, ['-dumpversion'], { quiet: true });
      return { version: version.trim(), reports: JSON.parse(output) };
    },
  };
}

/** @param {Simd} simd @returns {Engine} */
const node = (simd) => ({
  name: `Node, SIMD ${simd}`,
  ...(simd === 'on' && { control: true }),
  async run(vectors) {
    const { runnerImport } = await import('vite');
    /** @type {{ module: Runner }} */
    const { module } = await runnerImport(`${root}/tests/engines/runner.ts`);
    return {
      version: process.versions.node,
      reports: { package: await module.report(await readFile(`${root}/${vectors}`, 'utf8'), simd) },
    };
  },
});

/**
 * The three generations of vectors that a compiler can build for.
 * @param {string} compiler
 * @param {Partial<Engine>} [rest] for the first
 */
function x86(compiler, rest) {
  return [
    native('x86-64 SSE2', { compiler, march: 'x86-64', ...rest }),
    native('x86-64 AVX2, FMA', { compiler, march: 'x86-64-v3', needs: 'avx2' }),
    native('x86-64 AVX-512', { compiler, march: 'x86-64-v4', needs: 'avx512bw' }),
  ];
}

const { chromium, firefox, webkitGtk, wpe } = browsers;
const gcc = x86('g++', { control: true });

/** With either module. @param {(simd: Simd) => Engine} engine */
const both = (engine) => [engine('on'), engine('off')];

/** The engines that every change is tested in. */
export const fewEngines = [...both(node), ...both(chromium), ...gcc.slice(0, 1)];

export const engines = [
  ...both(node),
  ...both(chromium),
  ...both(firefox),
  ...both(webkitGtk),
  wpe('off'), // it has no SIMD
  ...gcc,
  ...['float32', 'binary64', 'exact'].map((level) =>
    native(`x86-64 from ${level} on`, { compiler: 'g++', march: 'x86-64', level }),
  ),
  ...x86('clang++-19'),
  ...['aarch64', 's390x', 'riscv64'].map((processor) =>
    native(processor, { compiler: `${processor}-linux-gnu-g++`, emulator: `qemu-${processor}` }),
  ),
];
