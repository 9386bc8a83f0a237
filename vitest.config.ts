import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { launchOptions, webGpuLaunchOptions } from './scripts/chromium.mjs';

// One set of files for both engines; a file that can only run in one says so in its name.
const tests = 'tests/{ts,web-demo}/**/*.test.ts';
const testTimeout = 30_000; // a busy machine is no failure

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'node',
          environment: 'node',
          include: [tests],
          exclude: ['**/*.{browser,webgpu}.test.ts'],
          testTimeout,
        },
      },
      {
        // A package that the server comes upon only while a test runs makes it reload the page.
        optimizeDeps: { include: ['idb'], exclude: ['onnxruntime-web'] },
        // An isolated page, whose models may have several threads.
        server: {
          headers: {
            'Cross-Origin-Opener-Policy': 'same-origin',
            'Cross-Origin-Embedder-Policy': 'require-corp',
          },
        },
        test: {
          name: 'chromium',
          include: [tests],
          exclude: ['**/*.{node,webgpu}.test.ts'],
          testTimeout,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            instances: [{ browser: 'chromium' }],
            provider: playwright({
              launchOptions,
            }),
          },
        },
      },
      {
        optimizeDeps: { exclude: ['onnxruntime-web'] },
        test: {
          name: 'chromium with WebGPU',
          include: ['tests/ts/*.webgpu.test.ts'],
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            instances: [{ browser: 'chromium' }],
            provider: playwright({ launchOptions: webGpuLaunchOptions }),
          },
        },
      },
    ],
  },
});
