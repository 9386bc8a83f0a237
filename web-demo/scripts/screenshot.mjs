// npm run screenshot: the pictures of the built pages for the README, always with the same words in them.
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright';
import { preview } from 'vite';
import { launchOptions } from '../../scripts/chromium.mjs';

const demo = fileURLToPath(new URL('..', import.meta.url));
const explorer = 'explorer.html?length=40';
const server = await preview({ root: demo, preview: { host: '127.0.0.1', port: 0 }, logLevel: 'error' });
const args = [...launchOptions.args, '--hide-scrollbars'];
const browser = await chromium.launch({ ...launchOptions, args });
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const address = server.resolvedUrls?.local[0] ?? '';
  await page.goto(address);
  await page
    .getByRole('button', { name: 'Continue', exact: true })
    .and(page.locator(':not([aria-disabled="true"])'))
    .click();
  await page
    .getByText(/^Wrote /)
    .first()
    .waitFor();
  await page.screenshot({ path: `${demo}/screenshot.png` });

  await page.goto(address + explorer);
  await page.locator('.explorer[data-running="false"] .drawn > :nth-child(40)').nth(3).waitFor();
  await page.locator('.text').first().locator('[data-token="8"]').click();
  await page.screenshot({ path: `${demo}/screenshot-explorer.png`, fullPage: true });
} finally {
  await browser.close();
  await server.close();
}
