import type { Page } from '@playwright/test';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { faults } from './faults.js';
import { dropFiles, expect, Quillmate, test } from './quillmate.js';

const modelFolder = fileURLToPath(new URL('../../web-demo/public/models/quill-tales/', import.meta.url));
const parts = ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'onnx/model_quantized.onnx'];

const isWritten = (page: Page): Promise<void> =>
  expect(page.locator('.explorer[data-running="false"] .drawn > :nth-child(40)')).toHaveCount(4);

test('a seed’s words can be looked at, tried, and proved to come again', async ({ page }) => {
  const texts = page.locator('.drawn');
  const outcome = page.locator('.outcome');
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  await page.goto('./explorer.html');
  await isWritten(page);
  const written = await texts.allInnerTexts();
  expect(new Set(written).size).toBe(4);
  expect(await dropFiles(page.getByRole('main'), { 'x.json': '{}' })).toBe(true);

  await test.step('each token says which share u fell into, step by step', async () => {
    await expect(outcome).toContainText(/u = 0\.\d{5} falls between 0\.\d{5} and/);
    await button('Forward').click();
    await button('Forward').click();
    await expect(page.getByText('Token 3 of 40, seed 24')).toBeVisible();
    await button('Back').click();
    await page.locator('.text').nth(1).locator('[data-token="39"]').click();
    await expect(page.getByText('Token 40 of 40, seed 25')).toBeVisible();
    await button('Draw one more').click();
    await expect(page.getByText('Token 41 of 41, seed 25')).toBeVisible();
    await page.getByLabel('Token 41 of 41, seed 25').fill('5');
    await expect(page.getByText('Token 5 of 41, seed 25')).toBeVisible();
  });

  await test.step('u and the settings can be turned, to see what would change', async () => {
    await page.getByLabel('u, the random number').fill('0');
    await expect(outcome).toContainText('u = 0.00000 falls between 0.00000 and');
    await expect(outcome).toContainText('With these settings every token of the text would stay.');
    await page.getByLabel('Temperature').last().fill('0');
    await expect(outcome).toContainText('At temperature 0 the largest logit is taken');
    await expect(outcome).toContainText(/would first change at token \d+/);
    await button('As it was drawn').click();
    await expect(outcome).not.toContainText('Here');
    const plot = page.getByRole('img', { name: /A staircase of \d+ steps/ });
    await plot.scrollIntoViewIfNeeded();
    const area = (await plot.boundingBox())!;
    await page.mouse.move(area.x + area.width / 2, area.y + 30);
    await page.mouse.down();
    await page.mouse.move(area.x + area.width / 2, area.y + area.height - 80, { steps: 3 });
    await page.mouse.up();
    await expect(outcome).toContainText('would stand');
    expect(await texts.first().innerText()).toBe(written[0]);
  });

  await test.step('the promise is proved', async () => {
    await button('Prove it').click();
    await expect(page.getByText('All 5 chains are equal.')).toBeVisible();
    const chains = await page.locator('td.chain').allInnerTexts();
    expect(chains[0]).toMatch(/^[0-9a-f]{16}$/);
    expect(new Set(chains).size).toBe(1);

    // Of another text that says nothing.
    await button('Seed 24').click();
    await expect(page.locator('td.chain')).toHaveCount(0);
    await button('Seed 25').click();
    await expect(page.getByText('All 5 chains are equal.')).toBeVisible();
  });

  await test.step('there is a table of random numbers', async () => {
    await page.getByLabel('Of seed').fill('1');
    await expect(page.locator('.uniforms tbody td').first()).toHaveText('0.8902591757080309');
    await expect(page.locator('.uniforms tbody td')).toHaveCount(1000);
    await page.getByLabel('Of seed').fill('-1');
    await expect(page.getByRole('alert')).toContainText('“-1” is no seed');
  });

  await test.step('everyone can use it, light and dark, and on a phone', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await faults(page)).toEqual([]);
    }
    await page.setViewportSize({ width: 320, height: 640 });
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    await expect.poll(overflow).toBeLessThanOrEqual(0);
  });

  await test.step('its address leads to the same texts', async () => {
    await page.reload();
    await isWritten(page);
    expect(await texts.allInnerTexts()).toEqual(written);
  });
});

test('a model can be imported from disk, used and deleted; one that does not load changes nothing', async ({
  page,
}) => {
  const files = await Promise.all(
    parts.map(async (part) => ({
      name: part.replace('onnx/', ''),
      mimeType: 'application/octet-stream',
      buffer: await readFile(modelFolder + part),
    })),
  );
  const choose = page.getByLabel('Import files');
  const models = page.getByRole('region', { name: 'Models' });
  // Without a model, at first: importing has no need of it.
  await page.goto('./explorer.html?logits=1,2,3&length=2');

  await choose.setInputFiles(files.filter(({ name }) => name !== 'tokenizer.json'));
  await expect(models.getByRole('alert')).toContainText('There is no tokenizer.json among the files');
  await choose.setInputFiles(files.map((file) => (file.name.endsWith('.onnx') ? { ...file, buffer: file.buffer.subarray(0, 999) } : file))); // prettier-ignore
  await expect(models.getByRole('alert')).toContainText('model_quantized.onnx');
  await expect(models.locator('tbody')).toHaveCount(0);

  await choose.setInputFiles(files);
  await expect(models.getByRole('status')).toHaveText('llama is imported.');
  await expect(models.getByRole('alert')).toHaveCount(0);
  await page.reload();
  await expect(models.locator('tbody tr')).toHaveCount(1);
  await expect(models.locator('tbody')).toContainText('6.6 MB');
  await expect(models.locator('.chain')).toHaveText(/^[0-9a-f]{64}$/);

  await test.step('it writes in the editor, too, and is remembered there', async () => {
    const quillmate = new Quillmate(page);
    const model = page.getByLabel('Model', { exact: true });
    await quillmate.open();
    await model.selectOption('llama');
    await quillmate.isIn('ready');
    await quillmate.length.fill('20');
    const written = await quillmate.continueToTheEnd();
    await quillmate.isKept();
    await page.reload();
    await quillmate.isIn('ready');
    await expect(model.locator('option:checked')).toHaveText('llama');
    expect(await quillmate.regenerateToTheEnd()).toBe(written);
    await page.getByRole('button', { name: 'Import or delete models' }).click();
    await expect(page.getByRole('dialog', { name: 'Models' })).toContainText('6.6 MB');
    await page.goto('./explorer.html?logits=1,2,3&length=2');
  });

  await page.getByLabel('Model', { exact: true }).selectOption({ label: 'llama' }); // once the shelf is read
  await page.getByRole('button', { name: 'Write', exact: true }).click();
  await expect(page.locator('.drawn').first()).toContainText(/[a-z]/);

  await models.getByRole('button', { name: 'Delete llama' }).click();
  await expect(models.locator('tbody')).toHaveCount(0);
  await expect(page.getByLabel('Model', { exact: true })).toHaveValue('bundled');
});
