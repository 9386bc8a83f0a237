// npm run bench: what a token costs beside the cost of reading its row and a sampler written by hand in JavaScript, in Node;
// with -- --browser in Chromium; with -- --scalar by the module for engines without SIMD (the floor has SIMD all the same); with
// -- --transformers beside Transformers.js, which is installed for it; with -- --worst the slowest tokens that a search finds.
import { readFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { launchOptions } from './chromium.mjs';
import { cmake, prepareAndBuild, systemPackages, transformersLibrary } from './project.mjs';
import { main, root, step } from './steps.mjs';

/** @typedef {import('../tests/bench/measure.js')} Measure */
/** @typedef {import('../tests/bench/measure.js').Plan} Plan */
/** @typedef {import('../tests/bench/measure.js').Timing} Timing */
/** @typedef {{ engine: string, measurements: import('../tests/bench/measure.js').Measurement[],
 *   batch: import('../tests/bench/measure.js').BatchMeasurement }} Results */

const vocabSizes = [32_000, 50_257, 151_936, 262_144];
const batchVocabSize = 151_936;
const rounds = 60;

/**
 * A module of tests/bench.
 * @template Module
 * @param {string} name
 */
async function load(name) {
  const { runnerImport } = await import('vite');
  /** @type {{ module: Module }} */
  const { module } = await runnerImport(join(root, 'tests/bench', name));
  return module;
}

/** @returns {Promise<Plan>} */
async function makePlan() {
  const floorModule = [...(await readFile(join(root, 'build/wasm-release/cpp/bench/quillmate_floor.wasm')))];
  /** @type {import('../tests/bench/real-rows.js')} */
  const { realRows } = await load('real-rows.ts');
  return {
    simd: process.argv.includes('--scalar') ? 'off' : 'on',
    vocabSizes,
    rounds,
    floorModule,
    realRows: await realRows(join(root, 'web-demo/public/models/quill-tales')),
  };
}

/** @returns {Promise<Results>} */
async function inNode() {
  /** @type {Measure} */
  const bench = await load('measure.ts');
  const plan = await makePlan();
  return {
    engine: `Node ${process.versions.node}`,
    measurements: await bench.measure(plan),
    batch: await bench.measureBatch(batchVocabSize, plan),
  };
}

/** @returns {Promise<Results>} */
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
    const results = await page.evaluate(
      async (/** @type {[Plan, number]} */ [plan, size]) => {
        const script = '/measure.ts'; // on the page's own server
        /** @type {Measure} */
        const bench = await import(script);
        return { measurements: await bench.measure(plan), batch: await bench.measureBatch(size, plan) };
      },
      /** @type {[Plan, number]} */ ([await makePlan(), batchVocabSize]),
    );
    return { engine: `Chromium ${browser.version()}`, ...results };
  } finally {
    await browser.close();
    await server.close();
  }
}

const time = (/** @type {Timing} */ t) => `${t.fastest.toFixed(0)} (${t.median.toFixed(0)})`;
const ratio = (/** @type {Timing} */ a, /** @type {Timing} */ b) => (a.fastest / b.fastest).toFixed(2);

/** @param {Results} results */
function print({ engine, measurements, batch }) {
  console.log(`${engine}, ${cpus()[0]?.model}; microseconds a token, the row copied in from a Float32Array:`);
  console.log(
    `the fastest of ${rounds} rounds over eight rows (and the middle one). The floor is the copy and a pass for the`,
  );
  console.log('maxima of blocks; for the last two settings the copy, the maximum and a pass of float exponentials\n');
  console.log('| rows | setting | floor | quillmate | of the floor | JavaScript | times as long |');
  console.log('| --- | --- | --- | --- | --- | --- | --- |');
  for (const { rows, setting, floor, quillmate, javascript } of measurements) {
    const cells = [rows, setting, time(floor), time(quillmate), ratio(quillmate, floor), time(javascript)];
    console.log(`| ${[...cells, ratio(javascript, quillmate)].join(' | ')} |`);
  }
  console.log(
    `\n16 rows of ${batchVocabSize} with mixed settings: one by one ${time(batch.singles)}, as a batch ${time(batch.batch)}, ` +
      `${ratio(batch.batch, batch.singles)} of that`,
  );
}

async function besideTransformers() {
  const { folder: transformers, version } = await transformersLibrary();
  /** @typedef {import('../tests/bench/transformers.js').TransformersParts} Parts */
  /** @type {Parts} */
  const parts = Object.assign(
    {},
    ...(await Promise.all(
      ['utils/tensor.js', 'generation/logits_sampler.js', 'generation/logits_process.js'].map(
        (file) => /** @type {Promise<Partial<Parts>>} */ (import(join(transformers, 'src', file))),
      ),
    )),
  );
  /** @type {import('../tests/bench/transformers.js')} */
  const { measureTransformers } = await load('transformers.ts');
  console.log(
    `Node ${process.versions.node}, ${cpus()[0]?.model}, Transformers.js ${version}, rows of ${batchVocabSize};`,
  );
  console.log('microseconds a token, the fastest (and the middle one)\n');
  console.log('| setting | quillmate | Transformers.js | times as long |\n| --- | --- | --- | --- |');
  for (const { setting, quillmate, transformers } of await measureTransformers(parts, batchVocabSize, 200)) {
    console.log(`| ${[setting, time(quillmate), time(transformers), ratio(transformers, quillmate)].join(' | ')} |`);
  }
}

async function worst() {
  const size = 262_144;
  /** @type {import('../tests/bench/worst-case.js')} */
  const { findWorstCases } = await load('worst-case.ts');
  console.log(`Node ${process.versions.node}, ${cpus()[0]?.model}; the slowest token found on rows of ${size}\n`);
  console.log('| rows | milliseconds | temperature | top_k | top_p | u |\n| --- | --- | --- | --- | --- | --- |');
  for (const { kind, milliseconds, settings, u } of await findWorstCases(size, 2)) {
    const { temperature, topK, topP } = settings;
    console.log(`| ${[kind, milliseconds.toFixed(1), temperature, topK, topP, u].join(' | ')} |`);
  }
}

await main(async () => {
  const browser = process.argv.includes('--browser');
  if (browser) await systemPackages('test');
  await prepareAndBuild();
  if (process.argv.includes('--worst')) return step('searching', worst);
  if (process.argv.includes('--transformers')) return step('measuring', besideTransformers);
  await step('floor', () => cmake('wasm-release', 'quillmate_floor'));
  await step('measuring', async () => {
    print(await (browser ? inChromium() : inNode()));
  });
});
