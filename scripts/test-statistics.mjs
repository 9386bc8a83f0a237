// npm run test:statistics: the random numbers, and the tokens drawn with them, against the laws they state (tests/statistics);
// beside it, on the other core, the numbers' bits against dieharder. Every number is a function of fixed seeds, so the result
// is the same in every run.
import { cmake, systemPackages, toolchain } from './project.mjs';
import { main, root, run, step, StepError } from './steps.mjs';

const folder = `${root}/build/native-release/tests/statistics`;

// Those of dieharder's tests that take seconds. Left out: opso, oqso, dna and sums, which it calls suspect itself; the gcd test
// and rgb_bitdist, rgb_minimum_distance, rgb_permutations, rgb_lagged_sum and sts_serial, which take minutes for what our own
// tests of pairs, triples, lags, runs and bits ask.
const tests = [0, 1, 2, 3, 4, 8, 9, 10, 11, 12, 13, 15, 16, 100, 101, 204, 205, 206, 207, 208, 209];

/**
 * The p-values of one test, in its own order.
 * @param {string} axis along which the numbers are taken
 * @param {number} test
 */
async function dieharder(axis, test) {
  const columns = '-D test_name -D ntuple -D pvalues';
  const bits = `"${folder}/quillmate_random_bits" ${axis}`; // without end: it is stopped when its reader has enough
  const output = await run('bash', ['-c', `${bits} | dieharder -g 200 -d ${test} -c , ${columns}`], { quiet: true });
  return output.split('\n').flatMap((line) => {
    const [name = '', size = '', p] = line.split(',').map((cell) => cell.trim());
    return p === undefined ? [] : [{ name, size, axis, p: Number(p) }];
  });
}

/** @param {string} axis */
async function battery(axis) {
  const found = [];
  for (const test of tests) found.push(...(await dieharder(axis, test)));
  return found;
}

await main(async () => {
  await systemPackages('statistics');
  await toolchain();
  await step('statistics build', async () => {
    for (const target of ['quillmate_statistics', 'quillmate_random_bits']) await cmake('native-release', target);
  });
  await step('numbers and draws, dieharder', async () => {
    const [table, found, control] = await Promise.all([
      run(`${folder}/quillmate_statistics`, ['24'], { quiet: true }),
      (async () => [...(await battery('steps')), ...(await battery('seeds'))])(),
      battery('lattice'),
    ]);
    console.log(table);
    const limit = 0.01 / 2 / found.length;
    const rejects = (/** @type {number | undefined} */ p) => p !== undefined && !(p >= limit && p <= 1 - limit);
    const limits = `[${limit.toExponential(1)}, 1 - ${limit.toExponential(1)}]`;
    console.log(`dieharder: ${found.length} p-values; one outside ${limits} rejects (1 % that any does by chance)\n`);
    console.log('| test | size | of | p | verdict | lattice |\n| --- | --- | --- | --- | --- | --- |');
    const verdict = (/** @type {number | undefined} */ p) => (rejects(p) ? 'REJECTED' : 'good');
    found.forEach(({ name, size, axis, p }, i) => {
      const beside = control[i % control.length]?.p;
      console.log(`| ${name} | ${size} | ${axis} | ${p.toFixed(6)} | ${verdict(p)} | ${verdict(beside)} |`);
    });
    if (found.length < 2 * tests.length || !control.some(({ p }) => rejects(p)))
      throw new StepError('dieharder failed');
    if (found.some(({ p }) => rejects(p))) throw new StepError('a test rejects the numbers');
  });
});
