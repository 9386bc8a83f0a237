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

  await test.step('New take writes another text with the next seed, and that again', async () => {
    await quillmate.length.fill('40');
    const second = await quillmate.newTakeToTheEnd();
    await expect(quillmate.seed).toHaveValue('25');
    expect(first.startsWith(second)).toBe(false);
    expect(await quillmate.regenerateToTheEnd()).toBe(second);
    await expect(quillmate.status).toHaveText('The same 40 tokens again, word for word.');
  });

  await test.step('a changed setting writes another text', async () => {
    await quillmate.page.getByLabel('Temperature').fill('1.3');
    expect(first.startsWith(await quillmate.newTakeToTheEnd())).toBe(false);
    await expect(quillmate.page.getByText('seed 26, temperature 1.3, top-p 0.95, top-k 0')).toBeVisible();
  });

  await test.step('Undo brings the passages back one by one, each ready to be written again as it was', async () => {
    for (let step = 0; step < 2; step += 1) await quillmate.story.press('Control+z');
    expect(await quillmate.text()).toBe(first);
    expect(await quillmate.regenerateToTheEnd()).toBe(first);
  });

  await test.step('at the cursor, in the middle of the story, and any passage again after a reload', async () => {
    await quillmate.caretTo('Control+Home', /^Put the cursor into tinted words/);
    await quillmate.page.keyboard.press('End');
    await quillmate.continueToTheEnd();
    const both = await quillmate.text();
    expect(both.length).toBeGreaterThan(first.length + 60);
    expect(both.endsWith(first.slice(opening.length))).toBe(true);
    await quillmate.isKept();
    await quillmate.page.reload();
    await quillmate.isIn('ready');
    await quillmate.caretTo('Control+End', /seed 24, temperature 0.8/);
    expect(await quillmate.regenerateToTheEnd()).toBe(both);
    await expect(quillmate.status).toHaveText('The same 120 tokens again, word for word.');
  });
});

test('a passage can be stopped, continued, extended and made one’s own', async ({ quillmate }) => {
  const opening = await quillmate.text();
  await quillmate.length.fill('200'); // the page shows what is written ten times a second: so it comes in pieces
  const undisturbed = await quillmate.continueToTheEnd();

  await test.step('Stop keeps what is written, and Regenerate repeats that much', async () => {
    const release = await quillmate.holdAt(10, () => quillmate.regenerate.click());
    await quillmate.stop.click();
    await release();
    await quillmate.isIn('ready');
    const stopped = await quillmate.text();
    expect(await quillmate.written()).toBeLessThan(200);
    expect(undisturbed.startsWith(stopped)).toBe(true);
    expect(await quillmate.regenerateToTheEnd()).toBe(stopped);
  });

  await test.step('Continue goes on to the text of an undisturbed run', async () => {
    expect(await quillmate.continueToTheEnd()).toBe(undisturbed);
  });

  await test.step('Continue after a whole passage extends it, and only there nothing can be typed meanwhile', async () => {
    await quillmate.run(async () => {
      const release = await quillmate.holdAt(201, () => quillmate.continue.click());
      await quillmate.story.press('Control+End');
      await quillmate.story.pressSequentially('no');
      await quillmate.story.press('Control+Home');
      await quillmate.story.pressSequentially('Yes. ');
      await quillmate.isIn('writing');
      await release();
    });
    const longer = await quillmate.text();
    expect(longer.startsWith(`Yes. ${undisturbed}`)).toBe(true);
    expect(longer.length).toBeGreaterThan(undisturbed.length + 5);
    await quillmate.story.press('Control+End');
    expect(await quillmate.regenerateToTheEnd()).toBe(longer);
  });

  await test.step('words put into it are the writer’s own, and Regenerate brings the machine’s back', async () => {
    const written = await quillmate.text();
    await quillmate.story.press('Control+End');
    for (let step = 0; step < 8; step += 1) await quillmate.page.keyboard.press('ArrowLeft');
    await quillmate.page.keyboard.type('MINE');
    await expect(quillmate.passage.filter({ hasText: 'MINE' })).toHaveCount(0);
    await quillmate.page.keyboard.press('ArrowLeft');
    await quillmate.page.keyboard.press('ArrowLeft');
    await quillmate.story.press('Control+End');
    await expect(quillmate.page.getByText('You have changed them')).toBeVisible();
    expect(await quillmate.regenerateToTheEnd()).toBe(written);
  });

  await test.step('Edit freely makes it the writer’s own, and Undo gives it back', async () => {
    await quillmate.page.getByRole('button', { name: 'Edit freely' }).click();
    await expect(quillmate.passage).toHaveCount(0);
    await expect(quillmate.regenerate).toBeDisabled();
    await quillmate.story.press('Control+z');
    await expect(quillmate.passage.first()).toBeVisible();
    await expect(quillmate.regenerate).toBeEnabled();
  });

  await test.step('Undo takes whole runs away', async () => {
    // Five runs left other words than stood there; “Yes. ” and “MINE” were typed, by and by on a slow machine.
    for (let step = 0; step < 10; step += 1) await quillmate.story.press('Control+z');
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

  await test.step('words are found in the story, one after the other, whatever their capitals', async () => {
    const field = page.getByRole('searchbox', { name: 'Find in this story' });
    const bar = page.getByRole('search');
    await quillmate.story.press('Control+Home');
    await quillmate.story.press('Control+f');
    await expect(field).toBeFocused();
    await field.fill('EVERY');
    await expect(bar.getByRole('status')).toHaveText('1 of 2');
    await expect(quillmate.story.locator('.found')).toHaveText(['Every', 'every']);
    for (const key of ['Enter', 'Escape']) await field.dispatchEvent('keydown', { key, isComposing: true });
    await expect(bar.getByRole('status')).toHaveText('1 of 2');
    await field.press('Enter');
    await expect(bar.getByRole('status')).toHaveText('2 of 2');
    await expect(quillmate.story.locator('.found-current')).toHaveText('every');
    await field.press('Escape');
    await expect(bar).toBeHidden();
    await page.keyboard.type('each');
    expect(await quillmate.text()).toContain('and each morning');
    await quillmate.story.press('Control+z');
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

  await test.step('of HTML that is pasted or dropped only the text comes in, and its longest words are broken', async () => {
    const html = `<style>p { color: red }</style><h1 style="color: red">A <b>road</b></h1>
      <p>It went<br>on <mark data-take="x">and
      on</mark>.</p><p>https://example.org/${'x'.repeat(300)}</p>`;
    const paragraphs = quillmate.story.locator('p');
    for (const type of ['paste', 'drop']) {
      await quillmate.story.fill('');
      await quillmate.story.evaluate(
        (story, { type, html }) => {
          const data = new DataTransfer();
          data.setData('text/html', html);
          const init = { bubbles: true, cancelable: true };
          const { x, y } = story.getBoundingClientRect();
          story.dispatchEvent(
            type === 'paste'
              ? new ClipboardEvent(type, { ...init, clipboardData: data })
              : new DragEvent(type, { ...init, dataTransfer: data, clientX: x + 2, clientY: y + 2 }),
          );
        },
        { type, html },
      );
      await expect(paragraphs).toHaveText(['A road', 'It went\non and on.', /^https:.*x$/]);
      await expect(quillmate.passage).toHaveCount(0);
    }
    for (const width of [1280, 320]) {
      await page.setViewportSize({ width, height: 720 });
      const wider = await page.locator('.story-pane').evaluate((pane) => pane.scrollWidth - pane.clientWidth);
      expect(wider, `${width} px`).toBeLessThanOrEqual(0);
    }
  });
});
