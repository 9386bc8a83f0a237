import { expect, test } from './quillmate.js';

test.beforeEach(async ({ quillmate }) => {
  await quillmate.open();
  await quillmate.isIn('ready');
});

test('Continue writes after the story, and Regenerate writes the same words again', async ({ quillmate }) => {
  const opening = await quillmate.text();
  const first = await quillmate.continueToTheEnd();
  expect(first.startsWith(opening)).toBe(true);
  expect(first.length).toBeGreaterThan(opening.length + 200);
  expect(await quillmate.written()).toBe(120);

  expect(await quillmate.regenerateToTheEnd()).toBe(first);
  expect(await quillmate.written()).toBe(120);
});

test('another seed writes another text, and the old seed brings the old one back', async ({ quillmate }) => {
  await quillmate.length.fill('40');
  await quillmate.seed.fill('17');
  const seventeen = await quillmate.continueToTheEnd();

  await quillmate.dice.click();
  await expect(quillmate.seed).not.toHaveValue('17');
  const other = await quillmate.regenerateToTheEnd();
  expect(other).not.toBe(seventeen);

  await quillmate.seed.fill('17');
  expect(await quillmate.regenerateToTheEnd()).toBe(seventeen);
});

test('a changed setting writes another text', async ({ quillmate }) => {
  await quillmate.length.fill('40');
  await quillmate.seed.fill('17');
  const lively = await quillmate.continueToTheEnd();
  await quillmate.page.getByLabel('Temperature').fill('1.3');
  expect(await quillmate.regenerateToTheEnd()).not.toBe(lively);
});

test('Stop keeps what is written, and Continue goes on to the text of an undisturbed run', async ({ quillmate }) => {
  const undisturbed = await quillmate.continueToTheEnd();

  await quillmate.regenerate.click();
  await quillmate.hasWritten(15);
  await quillmate.stop.click();
  await quillmate.isIn('ready');
  const stopped = await quillmate.text();
  expect(await quillmate.written()).toBeLessThan(120);
  expect(undisturbed.startsWith(stopped)).toBe(true);

  expect(await quillmate.regenerateToTheEnd()).toBe(stopped);
  expect(await quillmate.continueToTheEnd()).toBe(undisturbed);
});

test('Continue after a whole passage goes on with it, and Regenerate repeats all of it', async ({ quillmate }) => {
  await quillmate.length.fill('30');
  const first = await quillmate.continueToTheEnd();
  const longer = await quillmate.continueToTheEnd();
  expect(longer.startsWith(first)).toBe(true);
  expect(await quillmate.written()).toBe(60);
  expect(await quillmate.regenerateToTheEnd()).toBe(longer);
});

test('an edit makes the passage the writer’s own; undoing the edit gives it back', async ({ quillmate }) => {
  await quillmate.length.fill('20');
  const written = await quillmate.continueToTheEnd();
  await expect(quillmate.passage.first()).toBeVisible();

  await quillmate.story.press('Control+End');
  await quillmate.story.pressSequentially(' And so');
  await expect(quillmate.passage).toHaveCount(0);
  await expect(quillmate.regenerate).toBeDisabled();

  await quillmate.story.press('Control+z');
  expect(await quillmate.text()).toBe(written);
  await expect(quillmate.passage.first()).toBeVisible();
  await expect(quillmate.regenerate).toBeEnabled();
});

test('Undo takes a passage away in one step', async ({ quillmate }) => {
  const opening = await quillmate.text();
  await quillmate.length.fill('40');
  await quillmate.continueToTheEnd();
  await quillmate.story.press('Control+z');
  expect(await quillmate.text()).toBe(opening);
});

test('nothing can be typed into the story while it is being written', async ({ quillmate }) => {
  await quillmate.continue.click();
  await quillmate.hasWritten(5);
  await quillmate.story.press('Control+Home');
  await quillmate.story.pressSequentially('XYZ');
  await quillmate.isIn('ready');
  expect(await quillmate.text()).not.toContain('XYZ');
});

test('a dial that holds no usable number says what it takes, and nothing is written with it', async ({ quillmate }) => {
  await quillmate.seed.fill('18446744073709551616');
  await expect(quillmate.seed).toHaveAccessibleDescription(/from 0 to 18446744073709551615/);
  await expect(quillmate.continue).toBeDisabled();
  await quillmate.seed.fill('18446744073709551615');
  await expect(quillmate.continue).toBeEnabled();

  await quillmate.page.getByLabel('Top-p').fill('1.5');
  await expect(quillmate.page.getByLabel('Top-p')).toHaveAccessibleDescription('A number from 0 to 1; 1 cuts nothing.');
  await expect(quillmate.continue).toBeDisabled();
});

test('an empty story can begin with a sample opening', async ({ quillmate }) => {
  const opening = await quillmate.text();
  await quillmate.story.press('Control+a');
  await quillmate.story.press('Delete');
  await quillmate.page.getByRole('button', { name: 'Use a sample opening' }).click();
  expect(await quillmate.text()).toBe(opening);
});

test('pasted text keeps its paragraphs and its typography', async ({ quillmate, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const pasted = '“Well—” she said.\n\nThe end…';
  await quillmate.page.evaluate((text) => navigator.clipboard.writeText(text), pasted);
  await quillmate.story.press('Control+a');
  await quillmate.story.press('Control+v');
  await expect(quillmate.story.locator('p')).toHaveText(['“Well—” she said.', 'The end…']);
  await quillmate.length.fill('20');
  await quillmate.continueToTheEnd();
  await expect(quillmate.story.locator('p').first()).toHaveText('“Well—” she said.');
});
