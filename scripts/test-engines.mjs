// npm run test:engines [-- --short]: one file of vectors through every engine and on every processor; all must find the same
// hash. With --short the engines that every change is tested in, and fewer vectors.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { engines, fewEngines } from './engines.mjs';
import { build, nodeModules, systemPackages, toolchain } from './project.mjs';
import { main, root, step, StepError } from './steps.mjs';

/** @typedef {import('./engines.mjs').Engine} Engine */
/** @typedef {import('./engines.mjs').Reports} Reports */
/** @typedef {import('../tests/engines/runner.js').Report} Report */

/**
 * What became of an engine: its reports, or why there are none.
 * @typedef {{ reports: Reports } | { absent: string } | { failure: string }} Outcome
 */

/** @param {Report} report */
const hashOf = ({ marks }) => marks.at(-1)?.hash ?? '';

/**
 * The first case that two reports have not in common, if any.
 * @param {Report} wanted
 * @param {Report} found
 */
function difference(wanted, found) {
  const longer = wanted.marks.length < found.marks.length ? found : wanted;
  return longer.marks.find((_, i) => {
    const [one, other] = [wanted.marks[i], found.marks[i]];
    return one?.name !== other?.name || one?.hash !== other?.hash;
  })?.name;
}

/**
 * Every reason why the engines do not agree; the first that has a report sets what the others must find.
 * @param {readonly Engine[]} expected
 * @param {ReadonlyMap<Engine, Outcome>} outcomes
 */
function faultsOf(expected, outcomes) {
  const reports = [...outcomes.values()].flatMap((outcome) => ('reports' in outcome ? [outcome.reports] : []));
  return expected.flatMap((engine) => {
    const outcome = outcomes.get(engine);
    if (outcome === undefined) return [`${engine.name} was not run`];
    if ('absent' in outcome) return [];
    if ('failure' in outcome) return [`${engine.name}: ${outcome.failure}`];
    return /** @type {const} */ (['package', 'core']).flatMap((part) => {
      const found = outcome.reports[part];
      const wanted = reports.find((report) => report[part])?.[part];
      const place = found && wanted && difference(wanted, found);
      return place === undefined ? [] : [`${engine.name} differs first in the case "${place}" (${part})`];
    });
  });
}

/** @param {Engine} engine @param {string} vectors @returns {Promise<Outcome>} */
async function outcomeOf(engine, vectors) {
  const start = performance.now();
  const print = (/** @type {string} */ text) => {
    console.log(`${engine.name.padEnd(28)} ${text}`);
  };
  if (engine.needs !== undefined && !(await processorHas(engine.needs))) {
    print(`not run: this processor has no ${engine.needs}`);
    return { absent: engine.needs };
  }
  try {
    const { version, reports } = await engine.run(vectors);
    const core = reports.core ? hashOf(reports.core) : '-'.padEnd(16);
    const { marks, values } = reports.package;
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    const counts = `${marks.length} cases, ${values} values, ${seconds} s`;
    print(`${version.padEnd(16)} ${hashOf(reports.package)} ${core} ${counts}`);
    return { reports };
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    print(`FAILED: ${failure}`);
    return { failure };
  }
}

/** @param {string} flag */
async function processorHas(flag) {
  return new RegExp(`^flags\\b.*\\b${flag}\\b`, 'm').test(await readFile('/proc/cpuinfo', 'utf8'));
}

/** @param {readonly Engine[]} list @param {string} vectors */
async function outcomesOf(list, vectors) {
  /** @type {Map<Engine, Outcome>} */
  const outcomes = new Map();
  for (const engine of list) outcomes.set(engine, await outcomeOf(engine, vectors));
  return outcomes;
}

/** @param {unknown} holds @param {string} what */
function mustHold(holds, what) {
  if (holds !== true) throw new StepError(`this test could not fail: ${what}`);
  console.log(what);
}

/** @param {boolean} short */
export async function testEngines(short) {
  const { runnerImport } = await import('vite');
  /** @type {{ module: import('../tests/engines/vectors.js') }} */
  const { module } = await runnerImport(join(root, 'tests/engines/vectors.ts'));
  await mkdir(join(root, 'build/engines'), { recursive: true });
  const write = async (/** @type {string} */ name, /** @type {string} */ text) => {
    const path = `build/engines/${name}.json`;
    await writeFile(join(root, path), text);
    return path;
  };
  const list = short ? fewEngines : engines;
  const vectors = await write('vectors', module.vectorFile({ short }));
  const outcomes = await step('engines', () => outcomesOf(list, vectors));

  await step('the test itself', async () => {
    const { name, spike } = module.changed;
    const changed = await write('changed', module.vectorFile({ short, spike }));
    const pair = list.filter(({ control }) => control);
    const [one, other] = [...(await outcomesOf(pair, changed)).values()];
    mustHold(one && other && 'reports' in one && 'reports' in other, 'one bit of one logit was changed');
    if (!one || !other || !('reports' in one) || !('reports' in other)) return;
    mustHold(difference(one.reports.package, other.reports.package) === undefined, 'both engines agree about it');
    for (const [i, found] of [one, other].entries()) {
      const before = outcomes.get(/** @type {Engine} */ (pair[i]));
      mustHold(
        before && 'reports' in before && difference(before.reports.package, found.reports.package) === name,
        `${pair[i]?.name} finds another hash, from the case "${name}" on`,
      );
    }
    for (const engine of list) {
      const without = new Map([...outcomes].filter(([other]) => other !== engine));
      if (faultsOf(list, without).length === 0) throw new StepError(`it would not miss ${engine.name}`);
    }
    console.log('an engine left out is missed');
  });

  const faults = faultsOf(list, outcomes);
  if (faults.length > 0) throw new StepError(`the engines do not agree:\n${faults.join('\n')}`);
}

if (process.argv[1] === import.meta.filename) {
  const short = process.argv.includes('--short');
  await main(async () => {
    await systemPackages('test');
    await nodeModules();
    await toolchain();
    await build();
    await testEngines(short);
  });
}
