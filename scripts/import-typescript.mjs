import { join } from 'node:path';
import { root } from './steps.mjs';

/** What a TypeScript file of the repository exports. @param {string} file @returns {Promise<unknown>} */
export async function importTypeScript(file) {
  const { runnerImport } = await import('vite');
  /** @type {{ module: unknown }} */
  const { module } = await runnerImport(join(root, file));
  return module;
}
