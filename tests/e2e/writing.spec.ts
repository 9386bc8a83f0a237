import { expect, test } from './quillmate.js';

// Loading the model takes longer than writing with it, so each test goes through several steps on one page.
test.beforeEach(async ({ quillmate }) => {
  await quillmate.open();
  await quillmate.isIn('ready');
});

test('the seed and the settings decide the text', async ({ quillmate }) => {
  const opening = await quillmate.text();

  const first = await test.step('Continue writes 120 tokens after the story', async () => {
    const text = await quillmate.continueToTheEnd();
    expect(text.startsWith(opening)).toBe(true);
    expect(text.length).toBeGreaterThan(opening.length + 200);
    expect(await quillmate.written()).toBe(120);
    return text;
  });

  await test.step('Regenerate writes the same words again', async () => {
    expect(await quillmate.regenerateToTheEnd()).toBe(first);
  });

  await test.step('another seed writes another text', async () => {
    const seed = await quillmate.seed.inputValue();
    await quillmate.length.fill('40');
    await quillmate.dice.click();
    await expect(quillmate.seed).not.toHaveValue(seed);
    expect(first.startsWith(await quillmate.regenerateToTheEnd())).toBe(false);

    await quillmate.seed.fill(seed);
    const again = await quillmate.regenerateToTheEnd();
    expect(first.startsWith(again)).toBe(true);
    expect(await quillmate.written()).toBe(40);
  });

  await test.step('a changed setting writes another text', async () => {
    await quillmate.page.getByLabel('Temperature').fill('1.3');
    expect(first.startsWith(await quillmate.regenerateToTheEnd())).toBe(false);
  });

  await test.step('Undo brings the passages back one by one, each ready to be written again', async () => {
    await quillmate.story.press('Control+z');
    await quillmate.story.press('Control+z');
    await quillmate.story.press('Control+z');
    expect(await quillmate.text()).toBe(first);
    await quillmate.page.getByLabel('Temperature').fill('0.8');
    expect(await quillmate.regenerateToTheEnd()).toBe(first);
  });
});

test('a passage can be stopped, continued, extended and made one’s own', async ({ quillmate }) => {
  const opening = await quillmate.text();
  const undisturbed = await quillmate.continueToTheEnd();

  await test.step('Stop keeps what is written, and Regenerate repeats that much', async () => {
    await quillmate.regenerate.click();
    await quillmate.hasWritten(10);
    await quillmate.stop.click();
    await quillmate.isIn('ready');
    const stopped = await quillmate.text();
    expect(await quillmate.written()).toBeLessThan(120);
    expect(undisturbed.startsWith(stopped)).toBe(true);
    expect(await quillmate.regenerateToTheEnd()).toBe(stopped);
  });

  await test.step('Continue goes on to the text of an undisturbed run', async () => {
    expect(await quillmate.continueToTheEnd()).toBe(undisturbed);
  });

  await test.step('Continue after a whole passage extends it, and nothing can be typed into it meanwhile', async () => {
    await quillmate.run(async () => {
      await quillmate.continue.click();
      await quillmate.hasWritten(121);
      await quillmate.story.press('Control+Home');
      await quillmate.story.pressSequentially('XYZ');
      await quillmate.isIn('writing');
    });
    const longer = await quillmate.text();
    expect(longer.startsWith(undisturbed)).toBe(true);
    expect(longer.length).toBeGreaterThan(undisturbed.length);
  });

  await test.step('an edit makes it the writer’s own, and undoing the edit gives it back', async () => {
    const written = await quillmate.text();
    await quillmate.story.press('Control+End');
    await quillmate.story.pressSequentially(' And so');
    await expect(quillmate.passage).toHaveCount(0);
    await expect(quillmate.regenerate).toBeDisabled();

    await quillmate.story.press('Control+z');
    expect(await quillmate.text()).toBe(written);
    await expect(quillmate.passage.first()).toBeVisible();
    await expect(quillmate.regenerate).toBeEnabled();
  });

  await test.step('Undo takes whole runs away', async () => {
    for (let run = 0; run < 5; run += 1) await quillmate.story.press('Control+z');
    expect(await quillmate.text()).toBe(opening);
  });
});

test('the page takes what writers type and paste, and refuses what cannot be used', async ({ quillmate, context }) => {
  const { page } = quillmate;
  const opening = await quillmate.text();

  await test.step('a dial that holds no usable number says what it takes, and nothing is written with it', async () => {
    await quillmate.seed.fill('18446744073709551616');
    await expect(quillmate.seed).toHaveAccessibleDescription(/from 0 to 18446744073709551615/);
    await expect(quillmate.continue).toBeDisabled();
    await quillmate.seed.fill('18446744073709551615');
    await expect(quillmate.continue).toBeEnabled();

    await page.getByLabel('Top-p').fill('1.5');
    await expect(page.getByLabel('Top-p')).toHaveAccessibleDescription('A number from 0 to 1; 1 cuts nothing.');
    await expect(quillmate.continue).toBeDisabled();
    await page.getByLabel('Top-p').fill('0.95');
  });

  await test.step('an empty story can begin with a sample opening', async () => {
    await quillmate.story.press('Control+a');
    await quillmate.story.press('Delete');
    await page.getByRole('button', { name: 'Use a sample opening' }).click();
    expect(await quillmate.text()).toBe(opening);
  });

  await test.step('pasted text keeps its paragraphs and its typography', async () => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate((text) => navigator.clipboard.writeText(text), '“Well—” she said.\n\nThe end…');
    await quillmate.story.press('Control+a');
    await quillmate.story.press('Control+v');
    const paragraphs = quillmate.story.locator('p');
    await expect(paragraphs).toHaveText(['“Well—” she said.', 'The end…']);
    await quillmate.length.fill('20');
    await quillmate.continueToTheEnd();
    await expect(paragraphs.first()).toHaveText('“Well—” she said.');
  });
});
