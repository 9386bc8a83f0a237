// npm run docs: the reference of the package's entries (TypeDoc) and of the C++ headers (Doxygen), from their comments. What is public and
// has none, or a link that leads nowhere, is an error.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build, nodeModules, systemPackages, toolchain } from './project.mjs';
import { main, root, run, step } from './steps.mjs';

await main(async () => {
  await systemPackages('docs');
  await nodeModules();
  await toolchain();
  await build(); // TypeDoc reads the types that the build makes
  const folder = join(root, 'build/docs');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await step('TypeScript', () => run('typedoc', ['--options', 'ts/typedoc.json', '--logLevel', 'Warn']));
  await step('C++', () => run('doxygen', ['docs/Doxyfile']));
  console.log('\nbuild/docs/typescript/index.html, build/docs/cpp/html/index.html');
});
