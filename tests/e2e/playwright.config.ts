import { defineConfig } from '@playwright/test';
import { launchOptions } from '../../scripts/chromium.mjs';

/** What the page is spared for the most part: reloads in the midst of a run, crashes, stores and models that fail. */
const crashes = ['interruptions.spec.ts', 'kills.spec.ts', 'troubles.spec.ts'];

export default defineConfig({
  testDir: '.',
  outputDir: '../../test-results/e2e',
  workers: 1, // a page keeps two cores busy
  forbidOnly: true,
  timeout: 300_000,
  expect: { timeout: 120_000 },
  reporter: [['list']],
  projects: [
    { name: 'page', testIgnore: [...crashes, 'pace.spec.ts'] },
    { name: 'crash', testMatch: crashes },
    { name: 'pace', testMatch: 'pace.spec.ts' },
  ],
  use: {
    browserName: 'chromium',
    launchOptions,
  },
});
