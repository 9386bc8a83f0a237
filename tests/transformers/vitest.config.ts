import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const library = '../../build/transformers/node_modules/@huggingface/transformers/dist/transformers.node.mjs';

/** Run by scripts/test-transformers.mjs, which installs the library: with its native parts it is too large for every checkout. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('.', import.meta.url)),
    alias: { '@huggingface/transformers': fileURLToPath(new URL(library, import.meta.url)) },
    include: ['*.test.ts'],
    testTimeout: 120_000,
  },
});
