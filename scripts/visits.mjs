// Starts each browser with one page, does something there, and ends the browser.
import { launchOptions } from './chromium.mjs';
import { evaluation } from './evaluation.mjs';
import { visitByDriver } from './webdriver.mjs';

/** @typedef {import('./evaluation.mjs').Evaluate} Evaluate */
/** @typedef {{ version: string, open: (url: string) => Promise<unknown>, evaluate: Evaluate }} Page the version is the browser's */
/** @typedef {<T>(work: (page: Page) => Promise<T>) => Promise<T>} Visit */

/** @type {Visit} */
async function chromium(work) {
  const { chromium } = await import('playwright');
  const browser = await chromium.launch(launchOptions);
  try {
    const page = await browser.newPage();
    return await work({
      version: browser.version(),
      open: (url) => page.goto(url),
      evaluate: evaluation((script) => page.evaluate(script)),
    });
  } finally {
    await browser.close();
  }
}

/** @type {Visit} */
async function firefox(work) {
  const { launch } = await import('puppeteer-core');
  const browser = await launch({
    browser: 'firefox',
    executablePath: '/usr/bin/firefox-esr',
    protocolTimeout: 240_000,
  });
  try {
    const page = await browser.newPage();
    return await work({
      version: (await browser.version()).replace('firefox/', ''),
      open: (url) => page.goto(url),
      evaluate: evaluation((script) => page.evaluate(script)),
    });
  } finally {
    await browser.close();
  }
}

/** @type {Visit} */
const webkitGtk = (work) =>
  visitByDriver(
    ['xvfb-run', '--auto-servernum', 'WebKitWebDriver'],
    {
      'webkitgtk:browserOptions': {
        binary: '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser',
        args: ['--automation'],
      },
    },
    work,
  );

/** @type {Visit} */
const wpe = (work) =>
  visitByDriver(
    ['WPEWebDriver'],
    { 'wpe:browserOptions': { binary: '/usr/bin/cog', args: ['--automation', '--platform=headless'] } },
    work,
  );

export const visits = { chromium, firefox, webkitGtk, wpe };
