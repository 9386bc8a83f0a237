// npm run bench [-- --browser]: what a token costs beside a sampler written by hand in JavaScript, in Node or in Chromium.
import { cpus } from 'node:os';
import { launchOptions } from './chromium.mjs';
import { prepareAndBuild, systemPackages } from './project.mjs';
import { main, root, step } from './steps.mjs';

/** @typedef {import('../tests/bench/measure.js')} Bench */
/** @typedef {import('../tests/bench/measure.js').Measurement} Measurement */

const vocabSizes = [32_000, 50_257, 151_936, 262_144];
const rounds = 60;

async function inNode() {
  const { runnerImport } = await import('vite');
  /** @type {{ module: Bench }} */
  const { module } = await runnerImport(`${root}/tests/bench/measure.ts`);
  return { engine: `Node ${process.versions.node}`, measurements: await module.measure(vocabSizes, rounds) };
}

async function inChromium() {
  const { createServer } = await import('vite');
  const { chromium } = await import('playwright');
  const server = await createServer({
    configFile: false,
    root: `${root}/tests/bench`,
    server: {
      host: '127.0.0.1',
      fs: { allow: [root] },
      // An isolated page has a clock of 5 microseconds; others have one of 100.
      headers: { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' },
    },
    logLevel: 'error',
  });
  await server.listen();
  const browser = await chromium.launch(launchOptions);
  try {
    const page = await browser.newPage();
    await page.goto(server.resolvedUrls?.local[0] ?? '');
    const measurements = await page.evaluate(async (/** @type {[number[], number]} */ args) => {
      const script = '/measure.ts'; // on the page's own server
      /** @type {Bench} */
      const bench = await import(script);
      return bench.measure(...args);
    }, /** @type {[number[], number]} */ ([vocabSizes, rounds]));
    return { engine: `Chromium ${browser.version()}`, measurements };
  } finally {
    await browser.close();
    await server.close();
  }
}

/** @param {Measurement[]} measurements */
function print(measurements) {
  const time = (/** @type {{ fastest: number, median: number }} */ t) =>
    `${t.fastest.toFixed(0)} (${t.median.toFixed(0)})`;
  console.log('| V | setting | copy alone | quillmate | JavaScript | ratio |\n| --- | --- | --- | --- | --- | --- |');
  for (const { vocabSize, setting, copy, quillmate, javascript } of measurements) {
    const ratio = javascript.fastest / quillmate.fastest;
    console.log(
      `| ${vocabSize} | ${setting} | ${time(copy)} | ${time(quillmate)} | ${time(javascript)} | ${ratio.toFixed(1)} x |`,
    );
  }
}

await main(async () => {
  const browser = process.argv.includes('--browser');
  if (browser) await systemPackages('test');
  await prepareAndBuild();
  await step('measuring', async () => {
    const { engine, measurements } = await (browser ? inChromium() : inNode());
    console.log(`${engine}, ${cpus()[0]?.model}; microseconds a token, the row copied in from a Float32Array:`);
    console.log('the fastest of 60 rounds over eight rows (and the middle one)\n');
    print(measurements);
  });
});
