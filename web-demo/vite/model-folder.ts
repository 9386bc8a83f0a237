import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Plugin } from 'vite';

/**
 * Tells the page in which folder its models are. In a build the folder's name changes with its files, so that the service
 * worker may keep what the page has just fetched, and need not fetch it once more to be sure that it is no older build's.
 */
export function modelFolder(): Plugin {
  let name = 'models';
  let output = '';
  return {
    name: 'model-folder',
    config: async ({ root = '.' }, { command }) => {
      if (command === 'build') name = `models-${await hashOf(resolve(root, 'public', name))}`;
      return { define: { 'import.meta.env.MODELS': JSON.stringify(name) } };
    },
    configResolved: ({ root, build }) => {
      output = resolve(root, build.outDir);
    },
    writeBundle: async () => {
      // An output folder outside of the root is not emptied, and may have it from the last build.
      await rm(join(output, name), { recursive: true, force: true });
      await rename(join(output, 'models'), join(output, name));
    },
  };
}

async function hashOf(folder: string): Promise<string> {
  const hash = createHash('sha256');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const file of files.sort()) hash.update(file.slice(folder.length)).update(await readFile(file));
  return hash.digest('hex').slice(0, 8);
}
