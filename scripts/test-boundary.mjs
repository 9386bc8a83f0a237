// npm run test:boundary: the border between JavaScript and the module. Half a million calls with hostile values; a million generators with
// dispose and a million without. npm test has short forms.
import { build, nodeModules, systemPackages, toolchain } from './project.mjs';
import { main, run, step } from './steps.mjs';

await main(async () => {
  await systemPackages('build');
  await nodeModules();
  await toolchain();
  await build();
  await step('hostile calls, forgotten generators', () =>
    run('vitest', ['run', '--config', 'tests/boundary/vitest.config.ts']),
  );
});
