// npm test: everything that must hold before a change is published. The runners' counts are added up at the end.
// A runner whose tests have all passed is not run again while nothing changes that they depend on: not a file of theirs, nor
// the compiler, Node or Chromium. With -- --again all of them are run.
import { readFile, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { launchOptions } from './chromium.mjs';
import { build, cmake, lint, nodeModules, systemPackages, toolchain } from './project.mjs';
import { main, repositoryFiles, root, run, step, StepError, whenChanged } from './steps.mjs';
import { reportFile, testEngines } from './test-engines.mjs';

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

const cores = String(availableParallelism());
const again = process.argv.includes('--again');
const total = { passed: 0, failed: 0, skipped: 0 };
/** How many of those that passed were not run again. */
let before = 0;
/** @type {string[]} */
const failures = [];

/**
 * Runs a test runner as a step of its own. A failure is noted and the other runners go on, so that one run tells all.
 * @param {{ name: string, report: string, inputs: readonly string[], facts: string }} what the report is the file that it
 *   writes; for the rest see whenChanged
 * @param {() => Promise<unknown>} work
 * @param {(report: string) => Counts} countsOf
 */
async function runner({ name, report, inputs, facts }, work, countsOf) {
  const file = join(root, report);
  if (again) await rm(file, { force: true });
  const what = { name: report.replaceAll('/', '-'), inputs, facts, output: report };
  const outcome = await step(name, () =>
    whenChanged(what, async () => {
      await rm(file, { force: true });
      await work();
    }),
  ).then(
    (ran) => (ran ? 'passed' : 'passed before'),
    (/** @type {unknown} */ error) => {
      console.error(error instanceof StepError ? error.message : error);
      failures.push(name);
      return 'failed';
    },
  );
  const text = await readFile(file, 'utf8').catch(() => undefined);
  const counts = text === undefined ? { passed: 0, failed: 1, skipped: 0 } : countsOf(text);
  const when = outcome === 'passed before' ? ' when they were run last, and nothing has changed since' : '';
  console.log(`== ${name}: of ${counts.passed + counts.failed + counts.skipped} tests ${counts.passed} passed${when}`);
  if (outcome !== 'failed' && counts.passed === 0) failures.push(`${name} (no test was run)`);
  for (const key of /** @type {const} */ (['passed', 'failed', 'skipped'])) total[key] += counts[key];
  if (outcome === 'passed before') before += counts.passed;
}

/** @param {string} preset */
async function native(preset) {
  await step(`${preset} build`, () => cmake(preset));
  const report = `build/${preset}/report.xml`;
  const sources = [
    'cpp',
    'tests/cpp',
    'tests/install/cpp',
    'docs/examples/cpp',
    'tests/fuzz',
    'tests/statistics',
    'tests/fixtures',
    'CMakeLists.txt',
  ];
  const inputs = [...sources, 'CMakePresets.json', 'wasm/toolchain.lock'];
  const facts = await run('c++', ['--version'], { quiet: true });
  await runner(
    { name: `GoogleTest (${preset})`, report, inputs, facts },
    () =>
      run(
        'ctest',
        ['--preset', preset, '--no-tests=error', '--parallel', cores, '--output-junit', join(root, report)],
        { quiet: true },
      ),
    (xml) => {
      const suite = /<testsuite [^>]*>/s.exec(xml)?.[0] ?? '';
      const number = (/** @type {string} */ name) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(suite)?.[1]);
      const failed = number('failures');
      const skipped = number('skipped') + number('disabled');
      return { passed: number('tests') - failed - skipped, failed, skipped };
    },
  );
}

/** What tests of the package and of the page depend on. */
async function everything() {
  const inputs = [...(await repositoryFiles()), 'ts/dist', 'ts/wasm', 'web-demo/dist'];
  const compilers = await run('c++', ['--version'], { quiet: true });
  const chromium = await run(launchOptions.executablePath, ['--version'], { quiet: true });
  return { inputs, facts: `Node ${process.version}, ${chromium}, ${compilers}` };
}

async function vitest() {
  const report = 'build/vitest.json';
  await runner(
    { name: 'Vitest (Node and Chromium)', report, ...(await everything()) },
    () =>
      run('vitest', [
        'run',
        '--project',
        'node',
        '--project',
        'chromium',
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${report}`,
      ]),
    (json) => {
      /** @type {Record<'numPassedTests' | 'numFailedTests' | 'numPendingTests' | 'numTodoTests', number>} */
      const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(json);
      return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests + numTodoTests };
    },
  );
}

async function playwright() {
  const config = 'tests/e2e/playwright.config.ts';
  const report = 'build/playwright.json';
  await runner(
    { name: 'Playwright (the page in Chromium)', report, ...(await everything()) },
    () =>
      run('playwright', ['test', '--config', config, '--project', 'page', '--reporter=list,json'], {
        env: { PLAYWRIGHT_JSON_OUTPUT_FILE: join(root, report) },
      }),
    (json) => {
      /** @type {{ stats: Record<'expected' | 'unexpected' | 'flaky' | 'skipped', number> }} */
      const { stats } = JSON.parse(json);
      return { passed: stats.expected, failed: stats.unexpected + stats.flaky, skipped: stats.skipped };
    },
  );
}

async function engines() {
  await runner(
    { name: 'Engines (one hash)', report: reportFile, ...(await everything()) },
    () => testEngines(true),
    (json) => {
      /** @type {Counts} */
      const counts = JSON.parse(json);
      return counts;
    },
  );
}

await main(async () => {
  await systemPackages('test');
  await nodeModules();
  await toolchain();
  await build();
  await step('formats, types and linters', async () => {
    // The linter reads the types that the build made, too.
    const inputs = [...(await repositoryFiles()), 'ts/dist', 'ts/wasm'];
    await whenChanged({ name: 'lint', inputs }, lint);
  });
  await step('package size', async () => {
    const { checkPackageSize } = await import('./package-size.mjs');
    await checkPackageSize();
  });
  await step('package', async () => {
    const { checkPackage } = await import('./package.mjs');
    const parts = ['src', 'dist', 'wasm', 'package.json', 'README.md', 'LICENSE'].map((path) => `ts/${path}`);
    const locks = ['package-lock.json', 'tests/install/package-lock.json'];
    const inputs = [...parts, 'scripts/package.mjs', 'scripts/licences.mjs', ...locks];
    await whenChanged({ name: 'tarball', inputs, output: 'build/package' }, checkPackage);
  });
  await step('golden fixtures', () =>
    whenChanged({ name: 'fixtures', inputs: ['tests/fixtures'] }, () =>
      run('python3', ['-B', 'tests/fixtures/generate.py', '--check']),
    ),
  );
  await native('native-asan');
  await native('native-release');
  await vitest();
  await engines();
  await playwright();
  const { passed, failed, skipped } = total;
  const earlier = before > 0 ? ` (${before} of them when they were run last; npm test -- --again runs all)` : '';
  console.log(`\n${passed} passed${earlier}, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  if (failures.length > 0) throw new StepError(`failed: ${failures.join('; ')}`);
});
