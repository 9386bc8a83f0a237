// npm run test:crash [-- N | --short]: reloads and crashes the page, and takes its store and its model away; then kills the whole
// browser N times (25), at random moments, while the page writes one story, which must end as it does undisturbed; with --short
// 3 times.
import { build, nodeModules, systemPackages, toolchain } from './project.mjs';
import { main, run, step, StepError } from './steps.mjs';

await main(async () => {
  const [given = '25'] = process.argv.slice(2);
  const kills = given === '--short' ? '3' : given;
  if (!/^[1-9]\d*$/.test(kills)) throw new StepError(`usage: npm run test:crash [-- N | --short], not ${given}`);
  await systemPackages('test');
  await nodeModules();
  await toolchain();
  await build();
  await step(`crashes, and ${kills} kills`, () =>
    run('playwright', ['test', '--config', 'tests/e2e/playwright.config.ts', '--project', 'crash'], {
      env: { QUILLMATE_KILLS: kills },
    }),
  );
});
