// npm run size, after a build: what the package costs a page, each entry bundled and minified as applications do and
// compressed as servers do.
import { brotliCompressSync } from 'node:zlib';
import { build } from 'vite';
import { main, root, StepError } from './steps.mjs';

/** Bytes that an entry may cost, with what it shares with others and its WebAssembly. */
const budgets = {
  index: 60_000,
  exact: 80_000, // a WebAssembly module of its own
  onnxruntime: 14_000, // without onnxruntime-web
  store: 6_000,
  'speculative-generation': 6_000,
  generate: 4_000,
  transformers: 3_000,
};
const alternative = 'quillmate-scalar'; // takes the place of the other module, where there is no SIMD

/** @param {string} entry the name of a script in ts/dist */
async function sizeOf(entry) {
  /** @type {import('vite').Rolldown.ExternalOption} */
  const external = /^onnxruntime-web/;
  const bundles = await build({
    root,
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      target: 'es2022',
      assetsInlineLimit: 0,
      rolldownOptions: { input: `${root}/ts/dist/${entry}.js`, preserveEntrySignatures: 'strict', external },
    },
    worker: { format: 'es', rolldownOptions: { external } },
  });
  let sum = 0;
  for (const file of [bundles].flat().flatMap((bundle) => ('output' in bundle ? bundle.output : []))) {
    const size = brotliCompressSync(file.type === 'chunk' ? file.code : file.source).length;
    console.log(`${String(size).padStart(7)}  ${file.fileName.replace('assets/', '')}`);
    if (!file.fileName.includes(alternative)) sum += size;
  }
  return sum;
}

/** @returns {Promise<void>} */
export async function checkPackageSize() {
  const faults = [];
  for (const [entry, budget] of Object.entries(budgets)) {
    const size = await sizeOf(entry);
    console.log(`${String(size).padStart(7)}  bytes for ${entry}, at most ${budget} are allowed`);
    if (size > budget) faults.push(entry);
  }
  if (faults.length > 0) throw new StepError(`too large: ${faults.join(', ')}`);
}

if (process.argv[1] === import.meta.filename) await main(checkPackageSize);
