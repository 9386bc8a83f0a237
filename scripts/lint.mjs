// npm run lint: formats, linters, types and the repository's own rules.
import { build, lint, nodeModules, systemPackages, toolchain } from './project.mjs';
import { main } from './steps.mjs';

await main(async () => {
  await systemPackages('test');
  await nodeModules();
  await toolchain();
  await build(); // the linter reads types, which the build makes
  await lint();
});
