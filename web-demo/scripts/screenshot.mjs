// npm run screenshot: the picture of the built page for the README, always with the same words in it.
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright';
import { preview } from 'vite';
import { launchOptions } from '../../scripts/chromium.mjs';

const demo = fileURLToPath(new URL('..', import.meta.url));
const server = await preview({ root: demo, preview: { host: '127.0.0.1', port: 0 }, logLevel: 'error' });
const args = [...launchOptions.args, '--hide-scrollbars'];
const browser = await chromium.launch({ ...launchOptions, args });
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(server.resolvedUrls?.local[0] ?? '');
  await page
    .getByRole('button', { name: 'Continue', exact: true })
    .and(page.locator(':not([aria-disabled="true"])'))
    .click();
  await page
    .getByText(/^Wrote /)
    .first()
    .waitFor();
  await page.screenshot({ path: `${demo}/screenshot.png` });
} finally {
  await browser.close();
  await server.close();
}
