// Runs the vectors of test:engines in a page of each browser.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { launchOptions } from './chromium.mjs';
import { root } from './steps.mjs';
import { runInBrowser } from './webdriver.mjs';

/** @typedef {import('./engines.mjs').Engine} Engine */
/** @typedef {import('./engines.mjs').Runner} Runner */
/** @typedef {import('./engines.mjs').Report} Report */
/** @typedef {import('./engines.mjs').Simd} Simd */
/** @typedef {{ version: string, report: Report }} Answer */

/**
 * @param {string} name
 * @param {(url: string, args: [vectors: string, simd: Simd]) => Promise<Answer>} answerOf
 * @returns {(simd: Simd) => Engine}
 */
function browser(name, answerOf) {
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
        const url = server.resolvedUrls?.local[0] ?? '';
        const { version, report } = await answerOf(url, [await readFile(join(root, vectors), 'utf8'), simd]);
        return { version, reports: { package: report } };
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

const chromium = browser('Chromium', async (url, args) => {
  const { chromium } = await import('playwright');
  const browser = await chromium.launch(launchOptions);
  try {
    const page = await browser.newPage();
    await page.goto(url);
    return { version: browser.version(), report: await page.evaluate(reportInPage, args) };
  } finally {
    await browser.close();
  }
});

const firefox = browser('Firefox', async (url, args) => {
  const { launch } = await import('puppeteer-core');
  const browser = await launch({
    browser: 'firefox',
    executablePath: '/usr/bin/firefox-esr',
    protocolTimeout: 240_000,
  });
  try {
    const page = await browser.newPage();
    await page.goto(url);
    const report = await page.evaluate(reportInPage, args);
    return { version: (await browser.version()).replace('firefox/', ''), report };
  } finally {
    await browser.close();
  }
});

/**
 * @param {string} name
 * @param {readonly string[]} driver
 * @param {Record<string, unknown>} capabilities
 */
function webkit(name, driver, capabilities) {
  const script = `const [args, done] = arguments;
    (${reportInPage.toString()})(args).then((report) => done({ report }), (error) => done({ fault: String(error) }));`;
  return browser(name, async (url, args) => {
    const { version, result } = await runInBrowser(driver, capabilities, url, script, [args]);
    const { report, fault } = /** @type {{ report: Report, fault?: string }} */ (result);
    if (fault !== undefined) throw new Error(fault);
    return { version, report };
  });
}

const webkitGtk = webkit('WebKitGTK', ['xvfb-run', '--auto-servernum', 'WebKitWebDriver'], {
  'webkitgtk:browserOptions': {
    binary: '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser',
    args: ['--automation'],
  },
});

const wpe = webkit('WPE WebKit', ['WPEWebDriver'], {
  'wpe:browserOptions': { binary: '/usr/bin/cog', args: ['--automation', '--platform=headless'] },
});

export const browsers = { chromium, firefox, webkitGtk, wpe };
