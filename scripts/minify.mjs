// node scripts/minify.mjs FILE: minifies a module in place. The WebAssembly build does so with the JavaScript it writes.
import { readFile, writeFile } from 'node:fs/promises';
import { minifySync } from 'vite';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('which file?');
const { code, errors } = minifySync(file, await readFile(file, 'utf8'));
if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
await writeFile(file, code);
