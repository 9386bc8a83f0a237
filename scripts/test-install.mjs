// npm run test:install [-- NAME]: the packed package, installed and used as its users would, once with each tool (or with those whose name
// has NAME in it); the examples; the library in projects of C++. Not in npm test.
import { cp, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { launchOptions } from './chromium.mjs';
import { bundlerEnvironments } from './install/bundlers.mjs';
import { exampleEnvironments, layExamples } from './install/examples.mjs';
import { nextEnvironment } from './install/next.mjs';
import { plainEnvironments } from './install/plain.mjs';
import { folder, policy, serve } from './install/site.mjs';
import { pack } from './package.mjs';
import { prepareAndBuild } from './project.mjs';
import { main, root, run, step, StepError, whenChanged } from './steps.mjs';

/** What an environment may come to. */
const right = new Set(['token 3', 'types found', 'commands run', 'text as expected']);
const quiet = ['--no-audit', '--no-fund', '--ignore-scripts'];

/** The tools, then the package beside them. @returns {Promise<number>} the seconds that npm takes for the package */
async function install() {
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    if (name !== 'node_modules') await rm(join(folder, name), { recursive: true, force: true });
  }
  for (const name of ['package.json', 'package-lock.json'])
    await cp(join(root, 'tests/install', name), join(folder, name));
  const inputs = ['tests/install/package-lock.json'];
  await whenChanged({ name: 'install-tools', inputs, output: 'build/install/node_modules' }, () =>
    run('npm', ['ci', ...quiet], { cwd: 'build/install' }),
  );
  const tarball = await pack();
  const start = performance.now();
  await run('npm', ['install', '--no-save', ...quiet, tarball], { cwd: 'build/install', quiet: true });
  return (performance.now() - start) / 1000;
}

/**
 * What a page shows, as a result.
 * @param {import('playwright').Browser} browser
 * @param {{ page: string, text?: string }} made
 */
async function visit(browser, { page: address, text }) {
  const page = await browser.newPage();
  try {
    await page.goto(address);
    if (text === undefined) {
      await page.waitForFunction(() => !['', 'loading'].includes(document.title));
      return `token ${await page.title()}`;
    }
    await page.waitForFunction((text) => document.getElementById('text')?.textContent === text, text);
    return 'text as expected';
  } finally {
    await page.close();
  }
}

/** @param {number} installing seconds that npm took */
async function tryAll(installing) {
  await layExamples();
  const [site, openSite] = [await serve({ 'content-security-policy': policy }), await serve({})];
  const browser = await chromium.launch(launchOptions);
  const environments = [
    ...plainEnvironments.map((environment) => ({ environment, site })),
    ...bundlerEnvironments.map((environment) => ({ environment, site })),
    ...[nextEnvironment, ...exampleEnvironments].map((environment) => ({ environment, site: openSite })),
  ];
  const table = [];
  const wanted = process.argv[2] ?? '';
  for (const { environment, site } of environments.filter(({ environment: { name } }) => name.includes(wanted))) {
    const start = performance.now();
    let result;
    try {
      const made = await environment.make(site.url);
      try {
        result = 'result' in made ? made.result : await visit(browser, made);
      } finally {
        if ('page' in made) await made.close?.();
      }
    } catch (thrown) {
      result = thrown instanceof Error ? thrown.message : String(thrown);
    }
    const seconds = (installing + (performance.now() - start) / 1000).toFixed(1);
    table.push({ environment: environment.name, version: await environment.version(), result, seconds });
  }
  await browser.close();
  for (const { close } of [site, openSite]) close();
  console.log('seconds: from npm install of the package to its first token, or to what else the result is');
  console.table(table);
  const failed = table.filter(({ result }) => !right.has(result)).map(({ environment }) => environment);
  if (failed.length > 0) throw new StepError(`it does not work in: ${failed.join('; ')}`);
}

await main(async () => {
  await prepareAndBuild();
  const installing = await step('the package, installed', install);
  await step('the package in projects', () => tryAll(installing));
  if (process.argv[2] !== undefined) return;
  await step('the library in projects of C++', async () => {
    await run('cmake', ['--preset', 'native-release'], { quiet: true });
    await run('cmake', ['--build', '--preset', 'native-release', '--target', 'quillmate_sampler']);
    await run('ctest', ['--preset', 'native-release', '-C', 'sources', '-R', '^install']);
  });
});
