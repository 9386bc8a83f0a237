import { expect, test } from './quillmate.js';

test('a writer who uses the keyboard alone can do everything', async ({ quillmate }) => {
  const { page } = quillmate;
  const focused = page.locator(':focus');
  const tabTo = async (name: RegExp): Promise<void> => {
    for (let presses = 0; presses < 20; presses += 1) {
      await page.keyboard.press('Tab');
      const label = await focused.evaluate(
        (element) => element.ariaLabel ?? (element as HTMLInputElement).labels?.[0]?.textContent ?? element.textContent,
      );
      if (name.test(label)) return;
    }
    throw new Error(`Tab does not reach ${name.source}`);
  };

  await quillmate.open();
  await quillmate.isIn('ready');

  await tabTo(/^Story$/);
  await page.keyboard.press('Control+End');
  await page.keyboard.press('Enter');
  await page.keyboard.type('The king said');
  await expect(quillmate.story.locator('p').last()).toHaveText('The king said');

  await tabTo(/^Tokens to write$/);
  await page.keyboard.press('Control+a');
  await page.keyboard.type('60');

  await page.keyboard.press('Control+Enter');
  await quillmate.hasWritten(10);
  await page.keyboard.press('Escape');
  await quillmate.isIn('ready');
  const stopped = await quillmate.text();
  expect(await quillmate.written()).toBeLessThan(60);

  await tabTo(/^Regenerate$/);
  await quillmate.run(() => page.keyboard.press('Enter'));
  expect(await quillmate.text()).toBe(stopped);
  await expect(quillmate.regenerate).toBeFocused();

  await tabTo(/^Seed$/);
  await page.keyboard.press('Control+a');
  await page.keyboard.type('99');
  await tabTo(/^Roll a new seed$/);
  await page.keyboard.press('Space');
  await expect(quillmate.seed).not.toHaveValue('99');
  await expect(quillmate.dice).toBeFocused();
});

test('on a phone the settings lie over the story and give it back', async ({ quillmate }) => {
  const { page } = quillmate;
  await page.setViewportSize({ width: 390, height: 844 });
  await quillmate.open();
  await quillmate.isIn('ready');
  await expect(quillmate.length).toBeHidden();
  await page.getByRole('button', { name: 'How it writes' }).click();
  await quillmate.length.fill('15');
  await page.getByRole('button', { name: 'Back to the story' }).click();
  await expect(quillmate.length).toBeHidden();
  await quillmate.continueToTheEnd();
  expect(await quillmate.written()).toBe(15);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
});
