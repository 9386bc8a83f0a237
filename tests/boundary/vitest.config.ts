import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Run by scripts/test-boundary.mjs: what takes minutes. The short forms are in tests/ts. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('.', import.meta.url)),
    include: ['*.test.ts'],
    testTimeout: 1_800_000,
  },
});
