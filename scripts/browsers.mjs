// Runs the vectors of test:engines in a page of each browser.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './steps.mjs';
import { visits } from './visits.mjs';

/** @typedef {import('./engines.mjs').Engine} Engine */
/** @typedef {import('./engines.mjs').Runner} Runner */
/** @typedef {import('./engines.mjs').Report} Report */
/** @typedef {import('./engines.mjs').Simd} Simd */

/**
 * @param {string} name
 * @param {import('./visits.mjs').Visit} visit
 * @returns {(simd: Simd) => Engine}
 */
function browser(name, visit) {
  return (simd) => ({
    name: `${name}, SIMD ${simd}`,
    async run(vectors) {
      const { createServer } = await import('vite');
      const server = await createServer({
        configFile: false,
        root: join(root, 'tests/engines'),
        server: { host: '127.0.0.1', port: 0, fs: { allow: [root] } },
        logLevel: 'error',
      });
      try {
        await server.listen();
        const text = await readFile(join(root, vectors), 'utf8');
        return await visit(async ({ version, open, evaluate }) => {
          await open(server.resolvedUrls?.local[0] ?? '');
          return { version, reports: { package: await evaluate(reportInPage, [text, simd]) } };
        });
      } finally {
        await server.close();
      }
    },
  });
}

/** In the page. @param {[vectors: string, simd: Simd]} args @returns {Promise<Report>} */
async function reportInPage(args) {
  const script = '/runner.ts'; // on the page's own server
  /** @type {Runner} */
  const runner = await import(script);
  return runner.report(...args);
}

export const browsers = {
  chromium: browser('Chromium', visits.chromium),
  firefox: browser('Firefox', visits.firefox),
  webkitGtk: browser('WebKitGTK', visits.webkitGtk),
  wpe: browser('WPE WebKit', visits.wpe),
};
