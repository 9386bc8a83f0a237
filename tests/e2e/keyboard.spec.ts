import type { Locator } from '@playwright/test';
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
  await page.keyboard.type('200');

  const release = await quillmate.holdAt(10, () => page.keyboard.press('Control+Enter'));
  await page.keyboard.press('Escape');
  await release();
  await quillmate.isIn('ready');
  const stopped = await quillmate.text();
  expect(await quillmate.written()).toBeLessThan(200);

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

  await test.step('a panel that is closed gives the keyboard to the button that shows it', async () => {
    const takes = page.getByRole('button', { name: /^Takes/ });
    const sheet = page.getByRole('region', { name: 'Takes' });
    await takes.press('Enter');
    await sheet.getByRole('button', { name: 'Close' }).press('Enter');
    await expect(sheet).toBeHidden();
    await expect(takes).toBeFocused();

    const stories = page.getByRole('button', { name: 'Stories', exact: true });
    await stories.press('Enter');
    await quillmate.library.getByRole('searchbox').press('Escape');
    await expect(quillmate.library).toBeHidden();
    await expect(stories).toBeFocused();
  });

  await test.step('the keys and what they do are told to screen readers, and so is why Continue can do nothing', async () => {
    await expect(quillmate.continue).toHaveAttribute('aria-keyshortcuts', 'Control+Enter');
    await expect(quillmate.stop).toHaveAttribute('aria-keyshortcuts', 'Escape');
    await expect(quillmate.continue).toHaveAccessibleDescription('Continue (Ctrl+Enter)');
    await quillmate.length.fill('0');
    await expect(quillmate.continue).toHaveAccessibleDescription('Tokens to write: A whole number from 1 to 1000.');
  });
});

test('letters typed right after Enter stand in the order in which they were typed', async ({ quillmate }) => {
  const { page, story } = quillmate;
  await quillmate.open();
  await expect(story).toHaveAttribute('aria-readonly', 'false'); // the model is not needed
  await story.press('Control+End');

  // Before the browser has laid out the new paragraph, as on a busy machine.
  await page.evaluate(() => {
    document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', cancelable: true }));
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- as the browser does when a key is pressed
    for (const letter of 'Th') document.execCommand('insertText', false, letter);
  });
  await expect(story.locator('p').last()).toHaveText('Th');
  await page.keyboard.type('e king');
  await expect(story.locator('p').last()).toHaveText('The king');
});

test('on a phone the settings lie over the story and give it back', async ({ quillmate }) => {
  const { page } = quillmate;
  const topOf = async (part: Locator): Promise<number> => part.evaluate((e) => e.getBoundingClientRect().top);
  await page.setViewportSize({ width: 390, height: 844 });
  await quillmate.open();
  await quillmate.isIn('ready');
  for (const { width, height } of [
    { width: 390, height: 844 },
    { width: 320, height: 640 },
  ]) {
    await page.setViewportSize({ width, height });
    await expect(quillmate.length).toBeHidden();
    await page.getByRole('button', { name: 'How it writes' }).click();
    expect(await topOf(quillmate.dice)).toBe(await topOf(quillmate.seed));
    await quillmate.length.fill('1.5');
    await page.getByRole('button', { name: 'Back to the story' }).click();
    await expect(quillmate.length).toBeHidden();

    await expect(page.getByText('Tokens to write: A whole number from 1 to 1000.')).toBeVisible();
    await page.getByRole('button', { name: 'How it writes' }).click();
    await quillmate.length.fill('120');
    await page.getByRole('button', { name: 'Back to the story' }).click();

    await quillmate.continueToTheEnd();
    expect(await quillmate.written()).toBe(120);
    // The hint that comes with the end of the run takes room from the story.
    await expect(page.getByText('The machine’s words: seed 24')).toBeVisible();
    await expect(quillmate.story.locator('p').last()).toBeInViewport({ ratio: 1 });
    expect(await topOf(quillmate.dice)).toBe(await topOf(quillmate.seed));
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
    await quillmate.story.press('Control+z');
  }

  await test.step('in a low window, as at 200 %, most of it is the story’s, and the stories can be reached', async () => {
    await page.setViewportSize({ width: 640, height: 360 });
    const tall = await page.locator('.story-pane').evaluate((pane) => pane.clientHeight);
    expect(tall).toBeGreaterThan(180);
    await page.getByRole('button', { name: 'Stories', exact: true }).click();
    await quillmate.library.getByRole('button', { name: /^What to do with/ }).click();
    // What stands below the list leaves its place to it.
    await expect(quillmate.library.getByRole('button', { name: 'Save library' })).not.toBeInViewport();
    await quillmate.library.getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByRole('button', { name: 'Undo' })).toBeInViewport({ ratio: 1 });
    expect(await quillmate.library.evaluate((list) => list.clientHeight)).toBeGreaterThan(130);
    await quillmate.library.locator('.story-link').first().press('Enter');
    await expect(quillmate.library).toBeHidden();
    await expect(page.getByRole('button', { name: 'Stories', exact: true })).toBeFocused();
  });
});
