// npm run test:transformers: quillmate-sampler/transformers inside the real library, on the bundled model.
import { build, nodeModules, systemPackages, toolchain, transformersLibrary } from './project.mjs';
import { main, run, step } from './steps.mjs';

await main(async () => {
  await systemPackages('build');
  await nodeModules();
  await toolchain();
  await build();
  await transformersLibrary();
  await step('generate, with seeds', () => run('vitest', ['run', '--config', 'tests/transformers/vitest.config.ts']));
});
