// npm run fuzz [-- SECONDS]: libFuzzer with the sanitizers on each target of tests/fuzz, 60 seconds each. What it finds worth
// keeping goes into build/native-fuzz/corpus, where the next run starts. With -- short: the same inputs in every run.
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cmake, systemPackages, toolchain } from './project.mjs';
import { main, root, run, step, StepError } from './steps.mjs';

// The targets, and how many inputs take some ten seconds.
const targets = { sampling: 4000, state: 30_000, speculative: 15_000 };
const folder = 'build/native-fuzz';
const seeds = `${folder}/seeds`;

/**
 * @param {string} target
 * @param {{ corpus: string, limits: string[] }} plan
 */
async function fuzz(target, { corpus, limits }) {
  await mkdir(join(root, corpus, target), { recursive: true });
  const regressions = `tests/fuzz/regressions/${target}`;
  const folders = [`${corpus}/${target}`, `${seeds}/${target}`, regressions].filter((path) =>
    existsSync(join(root, path)),
  );
  const start = performance.now();
  const output = await run(
    `${root}/${folder}/tests/fuzz/quillmate_fuzz_${target}`,
    [
      ...folders,
      ...limits,
      '-max_len=3000',
      '-timeout=60',
      '-rss_limit_mb=4096',
      `-artifact_prefix=${folder}/${target}-`,
    ],
    { quiet: true },
  ).catch((/** @type {unknown} */ error) => {
    console.log(`\nThe input is a file ${folder}/${target}-*: mend the fault, then move it to ${regressions}/.`);
    throw error;
  });
  const last = /^#(\d+)\s+DONE\s.*?\bft: (\d+) corp: (\d+)\/(\S+)/m.exec(output);
  if (!last) throw new StepError(`${target} printed no summary`);
  const [, executions, features, inputs, bytes] = last;
  return [target, executions, features, inputs, bytes, `${((performance.now() - start) / 1000).toFixed(0)} s`];
}

await main(async () => {
  const [argument = '60'] = process.argv.slice(2);
  const short = argument === 'short';
  if (!short && !/^[1-9]\d*$/.test(argument)) throw new StepError('usage: npm run fuzz [-- SECONDS | short]');
  await systemPackages('fuzz');
  await toolchain();
  await step('fuzzers', async () => {
    await cmake('native-fuzz');
    for (const path of short ? [seeds, `${folder}/short`] : [seeds])
      await rm(join(root, path), { recursive: true, force: true });
    await run(`${root}/${folder}/tests/fuzz/quillmate_fuzz_seeds`, [seeds]);
  });
  const reports = [];
  for (const [target, runs] of Object.entries(targets)) {
    const plan = short
      ? { corpus: `${folder}/short`, limits: [`-runs=${runs}`, '-seed=1'] }
      : { corpus: `${folder}/corpus`, limits: [`-max_total_time=${argument}`] };
    reports.push(await step(`fuzzing ${target}`, () => fuzz(target, plan)));
  }
  console.log('\n| target | executions | coverage features | corpus | its size | time |');
  console.log('| --- | --- | --- | --- | --- | --- |');
  for (const report of reports) console.log(`| ${report.join(' | ')} |`);
});
