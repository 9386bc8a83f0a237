// npm run test:runtime [-- --short]: with the bundled model, in Node and in Chromium, with one thread and several, a text that is
// regenerated, interrupted and resumed, or branched has the tokens and the very rows of the first run, and so it has on a GPU;
// and one that is written with guesses has the tokens of one without. Tells how long each took, and what a token takes of the
// model's, the sampler's and the store's time. With --short fewer and shorter texts.
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { launchOptions } from './chromium.mjs';
import { importTypeScript } from './import-typescript.mjs';
import { build, nodeModules, systemPackages, toolchain } from './project.mjs';
import { main, root, run, step, StepError } from './steps.mjs';

/** @typedef {import('../tests/runtime/runner.js')} Runner */
/** @typedef {import('../tests/runtime/runner.js').Task} Task */
/** @typedef {Task & { from: { prompt: readonly number[] } }} Beginning */
/** @typedef {import('../tests/runtime/runner.js').Text} Text */
/** @typedef {import('../tests/runtime/runner.js').Report} Report */
/** @typedef {import('../tests/runtime/speculation.js').SpeculationReport} SpeculationReport */
/** @typedef {import('../tests/runtime/time-per-token.js').TimePerToken} TimePerToken */

/**
 * Where the model can be run.
 * @typedef {object} Engine
 * @property {string} name
 * @property {<Result>(name: Visit, ...args: readonly unknown[]) => Promise<Result>} visit calls a function of the runner with
 *   the model's folder and these arguments, in a page or a process of its own
 * @property {() => Promise<void>} close
 */
/** @typedef {'perform' | 'speculate' | 'timePerToken'} Visit */

const depths = [1, 2, 4];
const modelFolder = 'web-demo/public/models/quill-tales';
const cores = availableParallelism();

/** @returns {Promise<Engine>} */
function node() {
  const url = pathToFileURL(join(root, modelFolder)).href;
  return Promise.resolve({
    name: `Node ${process.versions.node}`,
    visit: (name, ...args) =>
      new Promise((resolve, reject) => {
        const child = fork(join(root, 'scripts/runtime-visit.mjs'), { serialization: 'advanced' });
        child.once('message', resolve);
        child.once('error', reject);
        child.once('close', (code, signal) => {
          reject(new StepError(`${name} in Node: ${signal ?? `exit code ${code}`}`)); // of no effect after a message
        });
        child.send({ name, args: [url, ...args] });
      }),
    close: () => Promise.resolve(),
  });
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
    /**
     * @template Result
     * @param {Visit} name
     * @param {readonly unknown[]} args
     * @returns {Promise<Result>}
     */
    async visit(name, ...args) {
      const page = await browser.newPage();
      try {
        await page.goto(`${url}tests/runtime/index.html`);
        return await page.evaluate(
          async ({ name, args }) => {
            const script = '/tests/runtime/runner.ts'; // on the page's own server
            /** @type {Record<string, (...args: unknown[]) => Promise<Result>>} */
            const runner = await import(script);
            return /** @type {(...args: unknown[]) => Promise<Result>} */ (runner[name])(...args);
          },
          { name, args: [`/${modelFolder}/`, ...args] },
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
 * Does the tasks of each list in order, in a model and a page of their own; lists are divided among as many of these as there
 * are cores for.
 * @param {Engine} engine
 * @param {number} threads
 * @param {readonly (readonly Task[])[]} lists
 * @returns {Promise<Report>}
 */
async function perform(engine, threads, lists) {
  const visits = Math.max(1, Math.floor(cores / threads));
  const each = Math.ceil(lists.length / visits);
  /** @type {Promise<Report>[]} */
  const reports = [];
  for (let i = 0; i < lists.length; i += each) {
    reports.push(engine.visit('perform', threads, lists.slice(i, i + each).flat()));
  }
  const [first, ...others] = await Promise.all(reports);
  if (first === undefined) throw new StepError('there are no texts');
  return {
    texts: [first, ...others].flatMap(({ texts }) => texts),
    branches: [first, ...others].flatMap(({ branches }) => branches),
    identity: first.identity,
  };
}

/**
 * Writes each text three times: at once, at once again, and with breaks, after each of which it goes on in a model and a page
 * of their own. And a branch twice: right after the text that it leaves, and in a model that knows nothing.
 * @param {Runner['branchOf']} branchOf
 * @param {Engine} engine
 * @param {number} threads
 * @param {readonly Beginning[]} tasks
 * @param {number} breaks how often a text is interrupted
 */
async function writeAll(branchOf, engine, threads, tasks, breaks) {
  const draw = lottery(7);
  const places = tasks.map(({ from: { prompt }, length }) =>
    Array.from({ length: breaks }, () => prompt.length + 1 + draw(length - prompt.length - 1)).sort((a, b) => a - b),
  );
  const branching = tasks.map((task, i) => ({
    ...task,
    branch: { tokens: places[i]?.[0] ?? 0, seed: String(1000 + i) },
  }));
  const first = await perform(
    engine,
    threads,
    tasks.map((task, i) => [...branching.slice(i, i + 1), task]),
  );
  const texts = first.texts.filter((_, i) => i % 2 === 0);
  expectSame(
    'regenerated',
    first.texts.filter((_, i) => i % 2 === 1),
    texts,
  );

  const branches = branching.flatMap(({ branch, length }, i) =>
    texts.slice(i, i + 1).map(({ state }) => ({ from: branchOf(state, branch), length })),
  );
  /** @type {readonly Text[]} */
  let resumed = [];
  for (let part = 0; part <= breaks; part++) {
    const lists = tasks.map(({ from, length }, i) => [
      ...(part === 0 ? branches.slice(i, i + 1) : []),
      { from: resumed[i]?.state ?? from, length: places[i]?.[part] ?? length },
    ]);
    const { texts } = await perform(engine, threads, lists);
    if (part === 0) {
      expectSame(
        'branched',
        texts.filter((_, i) => i % 2 === 0),
        first.branches,
      );
    }
    const before = resumed;
    resumed = texts
      .filter((_, i) => part > 0 || i % 2 === 1)
      .map(({ state, hashes }, i) => ({ state, hashes: [...(before[i]?.hashes ?? []), ...hashes] }));
  }
  expectSame(`interrupted ${breaks} times`, resumed, texts);
  return { report: first, texts: [...texts, ...first.branches] };
}

await main(async () => {
  const short = process.argv.includes('--short');
  await systemPackages('test');
  await nodeModules();
  await toolchain();
  await build();
  if (!short) {
    await step('the probe and the schedule, with one thread and two', () =>
      run('vitest', ['run', 'tests/ts/onnxruntime-schedule.test.ts'], { env: { VITE_EVERY_THREADS: 'yes' } }),
    );
  }
  /** @typedef {import('../tests/runtime/prompts.js')} Prompts */
  const { branchOf } = /** @type {Runner} */ (await importTypeScript('tests/runtime/runner.ts'));
  const { prompts, manyPrompts } = /** @type {Prompts} */ (await importTypeScript('tests/runtime/prompts.ts'));
  await step('a GPU', () => run('vitest', ['run', '--project', 'chromium with WebGPU']));
  await step('the bits of the runtime', async () => {
    const [seeds, count, breaks] = short ? [1, 40, 1] : [5, 200, 7];
    const tasks = (await prompts(join(root, modelFolder)))
      .filter((_, i) => !short || i === 0 || i === 19)
      .flatMap((prompt) =>
        Array.from({ length: seeds }, (_, seed) => ({ from: { prompt, seed }, length: prompt.length + count })),
      );
    const lengths = new Set(tasks.map(({ from }) => from.prompt.length));
    console.log(`${tasks.length} texts of ${count} tokens after prompts of ${[...lengths].join(', ')}`);
    /** @type {readonly Text[] | undefined} */
    let wanted;
    for (const start of [node, chromium]) {
      const engine = await start();
      try {
        for (const threads of [1, Math.min(4, Math.max(2, cores))]) {
          const start = performance.now();
          const { report, texts } = await writeAll(branchOf, engine, threads, tasks, breaks);
          wanted ??= texts;
          expectSame(`${engine.name} with ${threads} threads beside the first engine`, texts, wanted);
          console.log(
            `${engine.name}, ${threads} threads: written in ${((performance.now() - start) / 1000).toFixed(0)} s`,
          );
          /** @type {TimePerToken} */
          const time = await engine.visit('timePerToken', threads, tasks[0]?.from.prompt);
          print(engine, threads, report, time);
        }
      } finally {
        await engine.close();
      }
    }
  });
  await step('texts with guesses', async () => {
    const [texts, count] = short ? [10, 30] : [50, 60];
    const many = await manyPrompts(join(root, modelFolder), texts);
    for (const start of [node, chromium]) {
      const engine = await start();
      try {
        for (const temperature of [0.8, 0]) {
          /** @type {SpeculationReport} */
          const report = await engine.visit('speculate', many, count, depths, temperature);
          console.log(`${engine.name}, temperature ${temperature}, ${texts} texts of ${count} tokens:`);
          printSpeculation(report);
        }
      } finally {
        await engine.close();
      }
    }
  });
});

/** @param {SpeculationReport} report */
function printSpeculation({ tokens, plainTime, depths }) {
  const perToken = (/** @type {number} */ time) => `${(time / tokens).toFixed(3)} ms a token`;
  console.log(`  plain    ${perToken(plainTime)}`);
  for (const { depth, time, proposed, accepted, evaluations, different } of depths) {
    if (different.length > 0) throw new StepError(`with depth ${depth}, the texts ${different.join(', ')} differ`);
    const rate = ((100 * accepted) / Math.max(1, proposed)).toFixed(0);
    console.log(
      `  depth ${depth}  ${perToken(time)}, ${(plainTime / time).toFixed(2)} times as fast; of ${proposed} guesses ${rate} % stood, ` +
        `${(tokens / evaluations).toFixed(3)} tokens an evaluation; the same texts`,
    );
  }
}

/** @param {Engine} engine @param {number} threads @param {Report} report @param {TimePerToken} time */
function print({ name }, threads, { texts, identity }, { model, sampling, hashing, saving }) {
  const hash = texts.at(-1)?.hashes.at(-1) ?? '';
  const microseconds = (/** @type {number} */ milliseconds) => `${(1000 * milliseconds).toFixed(1)} us`;
  const saved = saving === undefined ? 'no store' : `saving ${microseconds(saving)}`;
  console.log(
    `${name.padEnd(14)} ${threads} thread${threads > 1 ? 's' : ' '}  invariant: ${identity.invariant}  last row ${hash}  ` +
      `first run, regenerated, resumed, branched: equal; a token takes the model ${microseconds(model)}, ` +
      `sampling ${microseconds(sampling)}, hashing ${microseconds(hashing)}, ${saved}`,
  );
}
