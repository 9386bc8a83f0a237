// Marks the WebAssembly modules, and the script that loads them, with the build they are of: a module out of a cache, or one
// that was left behind by another version, is then refused. The mark is a custom section, which engines ignore.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './steps.mjs';

const folder = join(root, 'ts/wasm');
const target = join(root, 'ts/src/generated/build-ids.ts');
const section = 'build';
/** What is loaded together: the generated script, and the modules that fit it. */
const builds = [
  { name: 'samplerBuild', script: 'quillmate.mjs', modules: ['quillmate.wasm', 'quillmate-scalar.wasm'] },
  { name: 'exactBuild', script: 'exact.mjs', modules: ['exact.wasm'] },
];

/** Gives each build the hash of its files. Doing so again changes nothing. */
export async function markBuilds() {
  const constants = [];
  for (const { name, script, modules } of builds) {
    const hash = createHash('sha256').update(await readFile(join(folder, script)));
    const files = await Promise.all(
      modules.map(async (file) => {
        const path = join(folder, file);
        const content = await readFile(path);
        return { path, content, bare: withoutMark(content) };
      }),
    );
    for (const { bare } of files) hash.update(bare);
    const id = hash.digest('hex').slice(0, 12);
    for (const { path, content, bare } of files) {
      const marked = Buffer.concat([bare, mark(id)]);
      if (!marked.equals(content)) await writeFile(path, marked);
    }
    constants.push(`export const ${name} = '${id}';`);
  }
  const text = [
    '// Made by scripts/build-ids.mjs.',
    '',
    '/** The name of the custom section in which a module has the id. */',
    `export const buildSection = '${section}';`,
    ...constants,
    '',
  ].join('\n');
  if ((await readFile(target, 'utf8').catch(() => undefined)) !== text) await writeFile(target, text);
}

/** A custom section: its number, its size, its name with its length, its content. All lengths are below 128. @param {string} id */
function mark(id) {
  const content = Buffer.concat([Uint8Array.of(section.length), Buffer.from(section + id)]);
  return Buffer.concat([Uint8Array.of(0, content.length), content]);
}

/** The module without the mark, which is its last section. @param {Buffer} module */
function withoutMark(module) {
  const length = mark('0'.repeat(12)).length;
  const end = module.subarray(-length);
  return end.includes(section) ? module.subarray(0, -length) : module;
}
