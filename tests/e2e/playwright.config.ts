import { defineConfig } from '@playwright/test';
import { launchOptions } from '../../scripts/chromium.mjs';

export default defineConfig({
  testDir: '.',
  outputDir: '../../test-results/e2e',
  workers: 1, // a page keeps two cores busy
  forbidOnly: true,
  timeout: 300_000,
  expect: { timeout: 120_000 },
  reporter: [['list']],
  projects: [
    { name: 'page', testIgnore: ['kills.spec.ts', 'pace.spec.ts'] },
    { name: 'kills', testMatch: 'kills.spec.ts' },
    { name: 'pace', testMatch: 'pace.spec.ts' },
  ],
  use: {
    browserName: 'chromium',
    launchOptions,
  },
});
