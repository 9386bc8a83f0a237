import { faults } from './faults.js';
import { expect, test } from './quillmate.js';

test('axe finds nothing to complain of in any view, light and dark, wide and narrow', async ({ quillmate }) => {
  const { page, library } = quillmate;
  await quillmate.open();
  await quillmate.isIn('ready');
  await quillmate.length.fill('20');
  await quillmate.continueToTheEnd();
  await page.emulateMedia({ reducedMotion: 'reduce' });

  const stories = page.getByRole('button', { name: 'Stories', exact: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Other words' }).click();
    await expect(page.getByRole('dialog', { name: /^Instead of/ })).toBeVisible();
    expect(await faults(page), `other words, ${colorScheme}`).toEqual([]);
    await page.keyboard.press('Escape');
    await stories.click();
    await library.getByRole('button', { name: /^What to do with/ }).click();
    await page.getByRole('button', { name: 'Takes', exact: true }).click();
    expect(await faults(page), `stories and takes, ${colorScheme}`).toEqual([]);
    await page.getByRole('button', { name: 'Share' }).click();
    await expect(page.getByRole('textbox', { name: 'Link' })).toHaveValue(/#passage=/);
    expect(await faults(page), `share, ${colorScheme}`).toEqual([]);
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await faults(page), `stories, narrow, ${colorScheme}`).toEqual([]);
    await stories.click();
    await page.getByRole('button', { name: 'How it writes' }).click();
    expect(await faults(page), `settings, narrow, ${colorScheme}`).toEqual([]);
    await page.getByRole('button', { name: 'Back to the story' }).click();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  }
});
