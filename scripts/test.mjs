// npm test: everything that must hold before a change is published. The runners' counts are added up at the end.
import { readFile, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { build, cmake, lint, nodeModules, systemPackages, toolchain } from './project.mjs';
import { main, repositoryFiles, root, run, step, StepError, whenChanged } from './steps.mjs';
import { reportFile, testEngines } from './test-engines.mjs';

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

const cores = String(availableParallelism());
const total = { passed: 0, failed: 0, skipped: 0 };
/** @type {string[]} */
const failures = [];

/**
 * Runs a test runner as a step of its own. A failure is noted and the other runners go on, so that one run tells all.
 * @param {string} name
 * @param {string} report the file that the runner writes
 * @param {() => Promise<unknown>} work
 * @param {(report: string) => Counts} countsOf
 */
async function runner(name, report, work, countsOf) {
  const file = join(root, report);
  await rm(file, { force: true });
  const failure = await step(name, work).then(
    () => undefined,
    (/** @type {unknown} */ error) => error,
  );
  if (failure !== undefined) {
    console.error(failure instanceof StepError ? failure.message : failure);
    failures.push(name);
  }
  const text = await readFile(file, 'utf8').catch(() => undefined);
  const counts = text === undefined ? { passed: 0, failed: 1, skipped: 0 } : countsOf(text);
  console.log(`== ${name}: of ${counts.passed + counts.failed + counts.skipped} tests ${counts.passed} passed`);
  if (failure === undefined && counts.passed === 0) failures.push(`${name} (no test was run)`);
  for (const key of /** @type {const} */ (['passed', 'failed', 'skipped'])) total[key] += counts[key];
}

/** @param {string} preset */
async function native(preset) {
  await step(`${preset} build`, () => cmake(preset));
  const report = `build/${preset}/report.xml`;
  await runner(
    `GoogleTest (${preset})`,
    report,
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

async function vitest() {
  const report = 'build/vitest.json';
  await runner(
    'Vitest (Node and Chromium)',
    report,
    () => run('vitest', ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]),
    (json) => {
      /** @type {Record<'numPassedTests' | 'numFailedTests' | 'numPendingTests' | 'numTodoTests', number>} */
      const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(json);
      return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests + numTodoTests };
    },
  );
}

async function playwright() {
  const report = 'build/playwright.json';
  await runner(
    'Playwright (the page in Chromium)',
    report,
    () =>
      run('playwright', ['test', '--config', 'tests/e2e/playwright.config.ts', '--reporter=list,json'], {
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
    'Engines (one hash)',
    reportFile,
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
  console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  if (failures.length > 0) throw new StepError(`failed: ${failures.join('; ')}`);
});
