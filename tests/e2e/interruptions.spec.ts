import { expect, Quillmate, test } from './quillmate.js';

test.beforeEach(async ({ quillmate }) => {
  await quillmate.open();
  await quillmate.isIn('ready');
  await quillmate.length.fill('200'); // the page shows what is written ten times a second: so it comes in pieces
});

test('a reload in the middle of a run goes on by itself and ends with the same text', async ({ quillmate }) => {
  const undisturbed = await quillmate.continueToTheEnd();
  await quillmate.story.press('Control+z');

  await quillmate.reloadAt([20, 40], () => quillmate.continue.click());
  await expect(quillmate.status).toHaveText(/^Wrote 200 tokens/);
  expect(await quillmate.text()).toBe(undisturbed);
  expect(await quillmate.regenerateToTheEnd()).toBe(undisturbed);
});

test.describe('reading where the model comes from', () => {
  // For a tab that is no page of ours the browser asks for a favicon.ico of its own accord.
  test.use({ expectedComplaints: /status of 404/ });

  test('does not interrupt a run', async ({ quillmate, context }) => {
    await quillmate.run(async () => {
      await quillmate.continue.click();
      const opened = context.waitForEvent('page');
      await quillmate.page.getByRole('link', { name: 'Where the model comes from' }).click();
      await (await opened).close();
    });
    expect(await quillmate.written()).toBe(200);
  });
});

test('what was written before a reload is on the page before the model is loaded again', async ({ quillmate }) => {
  await quillmate.page.route('**/model_quantized.onnx', () => new Promise(() => undefined));
  await quillmate.reloadAt([100], () => quillmate.continue.click());
  await quillmate.isIn('loading');
  await expect(quillmate.passage.first()).toBeVisible();
  // The last tokens may not have reached the store.
  expect(await quillmate.written()).toBeGreaterThan(15);
  await expect(quillmate.stop).toBeEnabled();
});

test('a crashed tab goes on in a new one and ends with the same text', async ({ quillmate, context }) => {
  const undisturbed = await quillmate.continueToTheEnd();
  await quillmate.story.press('Control+z');
  const devtools = await context.newCDPSession(quillmate.page);
  const crashed = quillmate.page.waitForEvent('crash');
  await quillmate.holdAt(20, () => quillmate.continue.click());
  devtools.send('Page.crash').catch(() => undefined);
  await crashed;
  await quillmate.page.close();

  const again = new Quillmate(await context.newPage());
  await again.open();
  await expect(again.status).toHaveText(/^Wrote 200 tokens/);
  expect(await again.text()).toBe(undisturbed);
});

test('story, seed, settings and a stopped run outlive the page, and Continue goes on as it would have', async ({
  quillmate,
}) => {
  const topK = quillmate.page.getByLabel('Top-k');
  await quillmate.seed.fill('3');
  await topK.fill('40');
  const undisturbed = await quillmate.continueToTheEnd();
  const release = await quillmate.holdAt(10, () => quillmate.regenerate.click());
  await quillmate.stop.click();
  await release();
  await quillmate.isIn('ready');
  await quillmate.isKept();
  const stopped = await quillmate.text();

  await quillmate.page.reload();
  await quillmate.isIn('ready');
  expect(await quillmate.text()).toBe(stopped);
  await expect(quillmate.seed).toHaveValue('3');
  await expect(topK).toHaveValue('40');
  await expect(quillmate.length).toHaveValue('200');
  expect(await quillmate.continueToTheEnd()).toBe(undisturbed);

  await test.step('also where what stands of it ends with a paragraph', async () => {
    await quillmate.story.press('Control+End');
    await quillmate.page.evaluate(() => getSelection()?.modify('extend', 'backward', 'paragraphboundary'));
    await quillmate.story.press('Delete');
    expect(await quillmate.text()).toMatch(/^[^]+\n\n$/);
    expect(await quillmate.continueToTheEnd()).toBe(undisturbed);
  });
});

test('a second tab can only read the story, and takes over when the first is closed', async ({
  quillmate,
  context,
}) => {
  await quillmate.length.fill('30');
  const written = await quillmate.continueToTheEnd();
  await quillmate.isKept();

  const second = new Quillmate(await context.newPage());
  await second.open();
  await second.isIn('elsewhere');
  await expect(second.page.getByText('This story is open in another tab.').first()).toBeVisible();
  expect(await second.text()).toBe(written);
  await expect(second.continue).toBeDisabled();
  await expect(second.story).toHaveAttribute('contenteditable', 'false');

  await quillmate.story.press('Control+End');
  await quillmate.story.pressSequentially(' Then.');
  await quillmate.isKept();
  await quillmate.page.close();
  await second.isIn('ready');
  expect(await second.text()).toBe(`${written} Then.`);
});
