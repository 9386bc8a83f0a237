// npm run test:runtime [-- --short]: with the bundled model, in Node and in Chromium, with one thread and several, a text that is
// regenerated, interrupted and resumed, or branched has the tokens and the very rows of the first run. With --short fewer and
// shorter texts.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { launchOptions } from './chromium.mjs';
import { build, nodeModules, systemPackages, toolchain } from './project.mjs';
import { main, root, step, StepError } from './steps.mjs';

/** @typedef {import('../tests/runtime/runner.js')} Runner */
/** @typedef {import('../tests/runtime/runner.js').Task} Task */
/** @typedef {import('../tests/runtime/runner.js').Text} Text */
/** @typedef {import('../tests/runtime/runner.js').Report} Report */

/**
 * Where the model can be run.
 * @typedef {object} Engine
 * @property {string} name
 * @property {(threads: number, tasks: readonly Task[]) => Promise<Report>} perform in a model, and a page, of its own
 * @property {() => Promise<void>} close
 */

const modelFolder = 'web-demo/public/models/quill-tales';

/** @returns {Promise<Engine>} */
async function node() {
  const { runnerImport } = await import('vite');
  /** @type {{ module: Runner }} */
  const { module } = await runnerImport(join(root, 'tests/runtime/runner.ts'));
  const url = pathToFileURL(join(root, modelFolder)).href;
  return {
    name: `Node ${process.versions.node}`,
    perform: (threads, tasks) => module.perform(url, threads, tasks),
    close: () => Promise.resolve(),
  };
}

/** @returns {Promise<Engine>} */
async function chromium() {
  const { createServer } = await import('vite');
  const server = await createServer({
    configFile: false,
    root,
    // Several threads need an isolated page.
    server: {
      host: '127.0.0.1',
      port: 0,
      headers: { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' },
      hmr: false,
      watch: null,
    },
    optimizeDeps: { noDiscovery: true },
    logLevel: 'error',
  });
  await server.listen();
  const url = server.resolvedUrls?.local[0] ?? '';
  const { chromium } = await import('playwright');
  const browser = await chromium.launch(launchOptions);
  return {
    name: `Chromium ${browser.version().split('.')[0]}`,
    async perform(threads, tasks) {
      const page = await browser.newPage();
      try {
        await page.goto(`${url}tests/runtime/index.html`);
        return await page.evaluate(
          async ({ folder, threads, tasks }) => {
            const script = '/tests/runtime/runner.ts'; // on the page's own server
            /** @type {Runner} */
            const runner = await import(script);
            return runner.perform(folder, threads, tasks);
          },
          { folder: `/${modelFolder}/`, threads, tasks },
        );
      } finally {
        await page.close();
      }
    },
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

/** Numbers that are the same in each run. @param {number} seed */
function lottery(seed) {
  let state = seed;
  return (/** @type {number} */ limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * limit);
  };
}

/** The state after so many of its tokens, with this seed. @param {Text} text @param {number} length @param {string} seed */
function cut({ state }, length, seed) {
  return { ...state, tokens: state.tokens.slice(0, length), step: length - state.promptLength, seed };
}

/** @param {string} what @param {readonly Text[]} found @param {readonly Text[]} wanted */
function expectSame(what, found, wanted) {
  wanted.forEach((text, i) => {
    const other = found[i];
    const row = text.hashes.findIndex((hash, at) => hash !== other?.hashes[at]);
    const token = text.state.tokens.findIndex((id, at) => id !== other?.state.tokens[at]);
    if (row >= 0 || token >= 0 || other?.hashes.length !== text.hashes.length) {
      throw new StepError(`${what}: text ${i} differs, first in row ${row} after the prompt and in token ${token}`);
    }
  });
}

/**
 * @param {Engine} engine
 * @param {number} threads
 * @param {readonly Task[]} tasks
 * @param {number} breaks how often a text is interrupted
 */
async function writeAll(engine, threads, tasks, breaks) {
  const first = await engine.perform(threads, [...tasks, ...tasks]);
  const texts = first.texts.slice(0, tasks.length);
  expectSame('regenerated', first.texts.slice(tasks.length), texts);

  const draw = lottery(7);
  const places = texts.map(({ state: { promptLength, tokens } }) =>
    Array.from({ length: breaks }, () => promptLength + 1 + draw(tokens.length - promptLength - 1)).sort(
      (a, b) => a - b,
    ),
  );
  /** @type {Text[]} */
  let resumed = [];
  for (let part = 0; part <= breaks; part++) {
    const { texts: parts } = await engine.perform(
      threads,
      tasks.map(({ from, length }, i) => ({ from: resumed[i]?.state ?? from, length: places[i]?.[part] ?? length })),
    );
    resumed = parts.map(({ state, hashes }, i) => ({ state, hashes: [...(resumed[i]?.hashes ?? []), ...hashes] }));
  }
  expectSame(`interrupted ${breaks} times`, resumed, texts);

  // Once right after the text that they leave, which is known then, and once in a model that knows nothing.
  const branches = texts.map((text, i) => {
    const from = cut(text, places[i]?.[0] ?? 0, String(1000 + i));
    return { from, length: text.state.tokens.length };
  });
  const known = await engine.perform(
    threads,
    tasks.flatMap((task, i) => [task, ...branches.slice(i, i + 1)]),
  );
  const afresh = await engine.perform(threads, branches);
  const isBranch = (/** @type {unknown} */ _, /** @type {number} */ i) => i % 2 === 1;
  expectSame('branched', afresh.texts, known.texts.filter(isBranch));
  expectSame(
    'written beside a branch',
    known.texts.filter((_, i) => !isBranch(_, i)),
    texts,
  );
  return { first, texts: [...texts, ...afresh.texts] };
}

await main(async () => {
  const short = process.argv.includes('--short');
  await systemPackages('test');
  await nodeModules();
  await toolchain();
  await build();
  await step('the bits of the runtime', async () => {
    const [seeds, count, breaks] = short ? [1, 40, 2] : [5, 200, 7];
    const { runnerImport } = await import('vite');
    /** @type {{ module: import('../tests/runtime/prompts.js') }} */
    const { module } = await runnerImport(join(root, 'tests/runtime/prompts.ts'));
    const tasks = (await module.prompts(join(root, modelFolder)))
      .filter((_, i) => !short || i === 0 || i === 19)
      .flatMap((prompt) =>
        Array.from({ length: seeds }, (_, seed) => ({ from: { prompt, seed }, length: prompt.length + count })),
      );
    console.log(
      `${tasks.length} texts of ${count} tokens after prompts of ${tasks.map(({ from }) => from.prompt.length).join(', ')}`,
    );
    /** @type {readonly Text[] | undefined} */
    let wanted;
    for (const start of [node, chromium]) {
      const engine = await start();
      try {
        for (const threads of [1, Math.min(4, Math.max(2, availableParallelism()))]) {
          const { first, texts } = await writeAll(engine, threads, tasks, breaks);
          wanted ??= texts;
          expectSame(`${engine.name} with ${threads} threads beside the first engine`, texts, wanted);
          print(engine, threads, first);
        }
      } finally {
        await engine.close();
      }
    }
  });
});

/** @param {Engine} engine @param {number} threads @param {Report} report */
function print({ name }, threads, { texts, tokens, identity, modelTime, samplingTime }) {
  const hash = texts.at(-1)?.hashes.at(-1) ?? '';
  const perToken = (/** @type {number} */ time) => `${(time / tokens).toFixed(3)} ms`;
  console.log(
    `${name.padEnd(14)} ${threads} thread${threads > 1 ? 's' : ' '}  invariant: ${identity.invariant}  last row ${hash}  ` +
      `model ${perToken(modelTime)} a token, sampling ${perToken(samplingTime)}; first run, regenerated, resumed, branched: equal`,
  );
}
