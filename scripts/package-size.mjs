// npm run size, after a build: what the package costs a page, each entry bundled and minified as applications do and
// compressed as servers do.
import { brotliCompressSync } from 'node:zlib';
import { build } from 'vite';
import { main, root, StepError } from './steps.mjs';

const limit = 60_000; // bytes for the sampler: its WebAssembly and its JavaScript
const exactLimit = 80_000; // the same of the oracle, which is a module of its own
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
  const size = await sizeOf('index');
  console.log(
    `${String(size).padStart(7)}  bytes for the sampler with SIMD, at most ${limit} are allowed; its other entries:`,
  );
  for (const entry of ['onnxruntime', 'store', 'generate', 'speculative-generation']) await sizeOf(entry);
  const exactSize = await sizeOf('exact');
  console.log(`${String(exactSize).padStart(7)}  bytes for the oracle, at most ${exactLimit} are allowed`);
  if (exactSize > exactLimit) throw new StepError('the oracle has grown too large');
  if (size > limit) throw new StepError('the sampler has grown too large');
}

if (process.argv[1] === import.meta.filename) await main(checkPackageSize);
