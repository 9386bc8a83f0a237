import { expect, test, type Page } from '@playwright/test';
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  build,
  createLogger,
  createServer,
  preview,
  type InlineConfig,
  type PreviewServer,
  type ViteDevServer,
} from 'vite';
import { snippetsOf } from '../../scripts/snippets.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = `${root}build/readme-page`;
const run = promisify(execFile);

/** The README's example and its configuration, beside the package as npm packs it. */
test.beforeAll(async () => {
  const ours = async (file: string): Promise<string[]> =>
    (await snippetsOf(file)).filter(({ runner }) => runner === 'tests/e2e/readme.spec.ts').map(({ code }) => code);
  const [page = '', config = ''] = await ours('README.md');
  expect(await ours('ts/README.md')).toEqual([config]);
  const installed = `${folder}/node_modules/quillmate-sampler`;

  await rm(folder, { recursive: true, force: true });
  await mkdir(installed, { recursive: true });
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const { stdout } = await run('npm', pack, { cwd: `${root}ts` });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  await run('tar', ['-xzf', `${folder}/${filename}`, '-C', installed, '--strip-components=1']);

  await writeFile(`${folder}/package.json`, '{}');
  await writeFile(`${folder}/vite.config.mjs`, config);
  await writeFile(`${folder}/main.js`, `${page}\ndocument.title = 'The end';`);
  await writeFile(`${folder}/index.html`, '<body><script type="module" src="/main.js"></script></body>');
});

/** What the page says when its text is written; `meanwhile` happens before that. */
async function textOf(
  page: Page,
  server: PreviewServer | ViteDevServer,
  meanwhile = () => Promise.resolve<unknown>(undefined),
): Promise<string> {
  try {
    await page.goto(server.resolvedUrls?.local[0] ?? 'the server has no address');
    await meanwhile();
    await expect(page).toHaveTitle('The end');
    return await page.locator('body').innerText();
  } finally {
    await server.close();
  }
}

test('the page in the README is built and served by Vite, and goes on after a reload', async ({ page, browser }) => {
  const options: InlineConfig = {
    root: folder,
    publicDir: `${root}web-demo/public`,
    logLevel: 'error',
    server: { host: '127.0.0.1', port: 0 },
    preview: { host: '127.0.0.1', port: 0 },
  };

  const resumed = await test.step('built, with a reload', async () => {
    const warnings: string[] = [];
    const warn = (text: string): void => void warnings.push(text);
    await build({ ...options, customLogger: { ...createLogger(), info: () => undefined, warn, warnOnce: warn } });
    // onnxruntime-web's own scripts name modules of Node.
    expect(warnings.join('\n')).toContain('onnxruntime-web/dist');
    expect(warnings.filter((text) => text.includes('quillmate-sampler'))).toEqual([]);
    return textOf(page, await preview(options), async () => {
      await page.waitForFunction(() => document.body.innerText.length > 200);
      await page.reload();
    });
  });
  expect(resumed).toMatch(/^Once upon a time/);

  await test.step('from the development server, without a reload, to the same text', async () => {
    const server = await createServer(options).then((server) => server.listen());
    expect(await textOf(await browser.newPage(), server)).toBe(resumed);
  });
});
