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
 * What is wrong with the engines, one fault each at most; the first that has a report sets what the others must find.
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
    for (const part of /** @type {const} */ (['package', 'core'])) {
      const found = outcome.reports[part];
      const wanted = reports.find((report) => report[part])?.[part];
      const place = found && wanted && difference(wanted, found);
      if (place !== undefined) return [`${engine.name} differs first in the case "${place}" (${part})`];
    }
    return [];
  });
}

/** @param {Engine} engine @param {string} vectors @returns {Promise<Outcome>} */
async function outcomeOf(engine, vectors) {
  const start = performance.now();
  const print = (/** @type {string} */ text) => {
    console.log(`${engine.name.padEnd(31)} ${text}`);
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

/**
 * That this test can fail: one changed bit of one logit must change every hash, and an engine must not go missing.
 * @param {readonly Engine[]} list
 * @param {ReadonlyMap<Engine, Outcome>} outcomes
 * @param {string} vectors with the change
 * @param {string} place the case that has it
 */
async function controlsOf(list, outcomes, vectors, place) {
  /** @type {(Report | undefined)[]} */
  const found = [];
  for (const engine of list.filter(({ control }) => control)) {
    const [before, after] = [outcomes.get(engine), await outcomeOf(engine, vectors)].map(packageOf);
    if (!before || !after || difference(before, after) !== place) {
      throw new StepError(`${engine.name} does not show that "${place}" was changed`);
    }
    found.push(after);
  }
  if (new Set(found.map((report) => report && hashOf(report))).size !== 1) {
    throw new StepError('the engines do not agree about the changed vectors');
  }
  const missing = { name: 'an engine that is missing', run: () => Promise.reject(new Error('not found')) };
  const [stopped] = faultsOf([missing], new Map([[missing, await outcomeOf(missing, vectors)]]));
  if (stopped === undefined) throw new StepError('an engine that is missing is not noticed');
  for (const engine of list) {
    const others = new Map([...outcomes].filter(([other]) => other !== engine));
    if (faultsOf(list, others).length === 0) throw new StepError(`it is not noticed when ${engine.name} is left out`);
  }
}

/** @param {Outcome | undefined} outcome */
const packageOf = (outcome) => (outcome && 'reports' in outcome ? outcome.reports.package : undefined);

export const reportFile = 'build/engines/report.json';

/** @param {boolean} short */
export async function testEngines(short) {
  const { runnerImport } = await import('vite');
  /** @type {{ module: import('../tests/engines/vectors.js') }} */
  const { module } = await runnerImport(join(root, 'tests/engines/vectors.ts'));
  await mkdir(join(root, 'build/engines'), { recursive: true });
  const write = async (/** @type {string} */ path, /** @type {string} */ text) => {
    await writeFile(join(root, path), text);
    return path;
  };
  const list = short ? fewEngines : engines;
  const outcomes = await outcomesOf(list, await write('build/engines/vectors.json', module.vectorFile({ short })));
  const faults = faultsOf(list, outcomes);
  const skipped = [...outcomes.values()].filter((outcome) => 'absent' in outcome).length;
  const counts = { passed: list.length - faults.length - skipped, failed: faults.length, skipped };
  await write(reportFile, JSON.stringify(counts));
  if (faults.length > 0) throw new StepError(`the engines do not agree:\n${faults.join('\n')}`);

  console.log('\nWith one bit of one logit changed, and with an engine missing:');
  const { name, spike } = module.changed;
  const vectors = await write('build/engines/changed-vectors.json', module.vectorFile({ short, spike }));
  await controlsOf(list, outcomes, vectors, name);
}

if (process.argv[1] === import.meta.filename) {
  const short = process.argv.includes('--short');
  await main(async () => {
    await systemPackages(short ? 'test' : 'engines');
    await nodeModules();
    await toolchain();
    await build();
    await step('engines', () => testEngines(short));
  });
}
