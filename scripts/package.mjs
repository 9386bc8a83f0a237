// npm run package: the tarball that is published, in build/package/, and what the two linters of packages say of it.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { checkLicences } from './licences.mjs';
import { prepareAndBuild } from './project.mjs';
import { main, root, run, step, StepError } from './steps.mjs';

/** What a tarball may hold. */
const allowed = /^(?:LICENSE|README\.md|package\.json|dist\/.+\.(?:js|d\.ts)(?:\.map)?|src\/.+\.ts|wasm\/\w[\w.-]+)$/;
const needed = ['LICENSE', 'README.md', 'dist/index.js.map', 'src/index.ts', 'wasm/quillmate.wasm'];
/** TypeScript has no types for what a bundler makes of these. */
const untyped = ['quillmate.wasm', 'quillmate-scalar.wasm', 'exact.wasm'];

/**
 * Packs what is built, as `npm publish` would.
 * @returns {Promise<string>} the tarball's path
 */
export async function pack() {
  const folder = join(root, 'build/package');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const options = ['--ignore-scripts', '--json', '--pack-destination', folder];
  /** @type {[{ filename: string, size: number, files: { path: string }[] }]} */
  const [{ filename, size, files }] = JSON.parse(await run('npm', ['pack', ...options], { cwd: 'ts', quiet: true }));
  const paths = files.map(({ path }) => path);
  const strange = paths.filter((path) => !allowed.test(path));
  const missing = needed.filter((path) => !paths.includes(path));
  const faults = [...strange.map((path) => `${path} is in the tarball`), ...missing.map((path) => `${path} is not`)];
  if (faults.length > 0) throw new StepError(faults.join('; '));
  console.log(`${filename}: ${paths.length} files, ${size} bytes`);
  return join(folder, filename);
}

/** Packs and checks: files, entries and types as every resolver of modules sees them; and the licences of what it needs. */
export async function checkPackage() {
  await checkLicences();
  const tarball = await pack();
  await run('publint', ['run', tarball, '--strict']);
  const options = ['--profile', 'esm-only', '--format', 'ascii', '--no-emoji', '--exclude-entrypoints', ...untyped];
  await run('attw', [tarball, ...options], { quiet: true });
  console.log('attw: the types of every entry are found');
}

if (process.argv[1] === import.meta.filename) {
  await main(async () => {
    await prepareAndBuild();
    await step('package', checkPackage);
  });
}
