import { readFile } from 'node:fs/promises';
import { dropFiles, expect, Quillmate, test } from './quillmate.js';
import { putFirstVersion } from './first-version.js';

test('a library of stories: made, named, copied, deleted and brought back, searched, saved and read', async ({
  quillmate,
}) => {
  const { page, library } = quillmate;
  const titles = library.locator('.stories').first().locator('.story-title');
  await quillmate.open();
  await quillmate.isIn('ready');
  const opening = await quillmate.text();
  await page.getByRole('button', { name: 'Stories' }).click();

  await test.step('a new story has settings and a text of its own', async () => {
    await page.getByLabel('Title', { exact: true }).fill('The clock');
    await quillmate.length.fill('20');
    await library.getByRole('button', { name: 'New story' }).click();
    await expect(quillmate.story).toHaveText('');
    await page.getByLabel('Title', { exact: true }).fill('The Raven');
    await quillmate.length.fill('30');
    await quillmate.story.click();
    await quillmate.story.pressSequentially('A raven sat upon “the tower”.');
    await expect(library).toContainText('6 words');
    await expect(titles).toHaveText(['The Raven', 'The clock']);
    await library.getByRole('button', { name: 'The clock' }).first().click();
    await expect(quillmate.length).toHaveValue('20');
    expect(await quillmate.text()).toBe(opening);
    await expect(titles).toHaveText(['The Raven', 'The clock']); // also once it is left
  });

  await test.step('a reload shows the story that was open', async () => {
    await page.reload();
    await expect(page.getByLabel('Title', { exact: true })).toHaveValue('The clock');
    await page.getByRole('button', { name: 'Stories' }).click();
  });

  await test.step('search finds titles and what is written, and shows where', async () => {
    const search = library.getByRole('searchbox', { name: 'Search titles and texts' });
    await search.fill('UPON "the');
    await expect(library.locator('.excerpt')).toHaveText('A raven sat upon “the tower”.');
    await expect(titles).toHaveText(['The Raven']);
    await search.fill('no such words');
    await expect(library.getByRole('status')).toHaveText('No story has that.');
    await search.fill('');
    await expect(titles).toHaveCount(2);
  });

  const moreOf = (title: string) => page.getByRole('button', { name: `What to do with “${title}”`, exact: true });
  const actions = async (title: string) => {
    const more = moreOf(title);
    if ((await more.getAttribute('aria-expanded')) === 'false') await more.click();
    return library.getByRole('listitem').filter({ has: more });
  };

  await test.step('rename and duplicate; Esc leaves the name, and so do the keys of an input method', async () => {
    const name = page.getByLabel('New title');
    const rename = (await actions('The Raven')).getByRole('button', { name: 'Rename' });
    await rename.click();
    await name.fill('The Crow');
    for (const key of ['Enter', 'Escape']) await name.dispatchEvent('keydown', { key, isComposing: true });
    await expect(name).toHaveValue('The Crow');
    await expect(library).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(moreOf('The Raven')).toBeFocused();
    await expect(titles.filter({ hasText: 'The Raven' })).toHaveCount(1);
    await rename.click();
    await name.fill('The Crow');
    await page.keyboard.press('Enter');
    // It is the first now, and still has the keyboard.
    await expect(titles).toHaveText(['The Crow', 'The clock']);
    await expect(moreOf('The Crow')).toBeFocused();
    await expect(moreOf('The Crow')).toHaveAttribute('aria-expanded', 'true');
    await (await actions('The Crow')).getByRole('button', { name: 'Duplicate' }).click();
    await expect(page.getByLabel('Title', { exact: true })).toHaveValue('The Crow (copy)');
    await expect(quillmate.story).toHaveText('A raven sat upon “the tower”.');
  });

  await test.step('a deleted story comes back with Undo, and from the deleted ones', async () => {
    await (await actions('The Crow (copy)')).getByRole('button', { name: 'Delete' }).click();
    await expect(titles).toHaveText(['The Crow', 'The clock']);
    const link = library.locator('.story-link:focus');
    await expect(link).toContainText('The Crow');
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await expect(quillmate.story).toHaveText('A raven sat upon “the tower”.');
    await expect(link).toContainText('The Crow (copy)');
    await (await actions('The Crow (copy)')).getByRole('button', { name: 'Delete' }).click();
    await expect(titles).toHaveText(['The Crow', 'The clock']);
    await page.reload();
    await page.getByRole('button', { name: 'Stories' }).click();
    await library.getByText('Deleted (1)').click();
    await library.getByRole('button', { name: 'Delete for good' }).click();
    await expect(library.getByText('Deleted (1)')).toBeHidden();
  });

  const saved = async (press: () => Promise<void>) => {
    const download = page.waitForEvent('download');
    await press();
    const file = await download;
    return { name: file.suggestedFilename(), content: await readFile(await file.path(), 'utf8') };
  };

  await test.step('a story is saved as Markdown and as text, and the library as one file', async () => {
    const item = await actions('The Crow');
    expect(await saved(() => item.getByRole('button', { name: 'Save as Markdown' }).click())).toEqual({
      name: 'The Crow.md',
      content: '# The Crow\n\nA raven sat upon “the tower”.\n',
    });
    expect(await saved(() => item.getByRole('button', { name: 'Save as text' }).click())).toEqual({
      name: 'The Crow.txt',
      content: 'The Crow\n\nA raven sat upon “the tower”.\n',
    });
    const whole = await saved(() => library.getByRole('button', { name: 'Save library' }).click());
    expect(whole.name).toBe('quillmate-library.json');
    await (await actions('The Crow')).getByRole('button', { name: 'Delete' }).click();
    await library.getByText('Deleted (1)').click();
    await library.getByRole('button', { name: 'Delete for good' }).click();
    await expect(titles).toHaveText(['The clock']);
    await library.locator('input[type=file]').setInputFiles({
      name: whole.name,
      mimeType: 'application/json',
      buffer: Buffer.from(whole.content),
    });
    await expect(titles).toHaveText(['The Crow', 'The clock']);
  });

  await test.step('text files are dropped on the list, and a file that is no library is refused', async () => {
    const files = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['# A road\n\nIt went\r\non.'], 'road.md'));
      transfer.items.add(new File(['Rain.'], 'rain.txt'));
      return transfer;
    });
    await library.dispatchEvent('drop', { dataTransfer: files });
    await expect(page.getByLabel('Title', { exact: true })).toHaveValue('A road');
    await expect(quillmate.story).toHaveText('It went\non.');
    await expect(titles).toContainText(['rain', 'A road']);
    await library
      .locator('input[type=file]')
      .setInputFiles({ name: 'x.json', mimeType: 'application/json', buffer: Buffer.from('{}') });
    await expect(page.getByRole('alert')).toContainText('its format is undefined');
    await page.getByRole('alert').getByRole('button', { name: 'Close this message' }).press('Enter');
    await expect(page.locator(':focus')).toContainText('A road');
  });

  await test.step('no file takes the place of the page; a library is read also where it is dropped on the story', async () => {
    expect(await dropFiles(page.getByRole('banner'), { 'x.json': '{}' })).toBe(true);
    expect(await dropFiles(quillmate.story, { 'x.png': '{}' })).toBe(true);
    await expect(page.getByRole('alert')).toBeHidden();
    expect(await dropFiles(quillmate.story, { 'x.json': '{}' })).toBe(true);
    await expect(page.getByRole('alert')).toContainText('its format is undefined');
    await expect(quillmate.story).toHaveText('It went\non.');
  });

  await test.step('a text that is dropped on the story is decoded as in the list, and what is none is named', async () => {
    await page.getByRole('alert').getByRole('button', { name: 'Close this message' }).click();
    const files = { 'caf\xe9.txt': 'caf\xe9 ', 'bytes.txt': 'a\0b' }; // as Windows wrote them: a byte a letter
    expect(await dropFiles(quillmate.story, files)).toBe(true);
    await expect(quillmate.story).toContainText('caf\xe9 ');
    await expect(quillmate.story).not.toContainText('b');
    await expect(page.getByRole('alert')).toContainText('“bytes.txt” is not a text');
    await quillmate.story.press('Control+z');
    await expect(quillmate.story).toHaveText('It went\non.');
  });

  await test.step('a hundred files make a hundred stories, all in the list, though another cannot be read', async () => {
    const files = Array.from({ length: 100 }, (_, n) => ({
      name: `Chapter ${n}.txt`,
      mimeType: 'text/plain',
      buffer: Buffer.from(`The road, mile ${n}.`),
    }));
    const unreadable = { name: 'x.json', mimeType: 'application/json', buffer: Buffer.from('{') };
    await library.locator('input[type=file]').setInputFiles([...files, unreadable]);
    await expect(titles.filter({ hasText: 'Chapter' })).toHaveCount(100);
    await library.getByRole('searchbox').fill('mile 57.');
    await expect(titles).toHaveText(['Chapter 57']);
    await library.getByRole('searchbox').fill('');
  });

  await test.step('a library with deleted and damaged stories opens with the words of the first that is there', async () => {
    const now = Date.now();
    const record = (id: string, text: string, deletedAt: number | null, body: object) => ({
      ...{ id, version: 1, revision: 1, createdAt: now, updatedAt: now, text, state: null, body },
      data: { title: id, opening: text, words: 2, deletedAt },
    });
    const damage = { takes: ['{"id":"t","passage":"p"}'], places: [{ take: 't', from: 5, to: 5000 }], caret: 2 };
    const stories = [record('Gone', 'Thrown away.', now, {}), record('Bent', 'It stands.', null, damage)];
    await library.locator('input[type=file]').setInputFiles({
      name: 'bent.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify({ format: 'quillmate-stories', version: 1, stories })),
    });
    await expect(quillmate.story).toHaveText('It stands.');
    await expect(page.getByLabel('Title', { exact: true })).toHaveValue('Bent');
    await expect(library.getByText('Deleted (1)')).toBeVisible();
  });

  await test.step('the tab that has a story can delete it, though another waits for it', async () => {
    const other = new Quillmate(await page.context().newPage());
    await other.page.goto(page.url());
    await other.isIn('elsewhere');
    await (await actions('Bent')).getByRole('button', { name: 'Delete' }).click();
    await expect(library.getByText('Deleted (2)')).toBeVisible();
    await expect(quillmate.story).not.toHaveText('It stands.');
    await other.page.close();
  });

  await test.step('an address that names no story is answered with the latest', async () => {
    const text = await quillmate.text();
    for (const wrong of ['%', 'nowhere']) {
      await page.evaluate((wrong) => (location.hash = `#story=${wrong}`), wrong);
      await expect(page).not.toHaveURL(new RegExp(`=${wrong}$`));
    }
    await page.goto('./explorer.html');
    await page.goto('./#story=%');
    await quillmate.isIn('ready');
    expect(await quillmate.text()).toBe(text);
  });
});

test('what the first version of the page kept is in the library, and its passage can be written again', async ({
  quillmate,
}) => {
  await putFirstVersion(quillmate.page);
  await quillmate.open();
  await quillmate.isIn('ready');
  const text = await quillmate.text();
  expect(text).toMatch(/^It was raining in the town\./);
  await expect(quillmate.seed).toHaveValue('7');
  await expect(quillmate.passage.first()).toBeVisible();
  expect(await quillmate.regenerateToTheEnd()).toBe(text);
  await quillmate.isKept();
  await quillmate.page.reload();
  await quillmate.isIn('ready');
  expect(await quillmate.text()).toBe(text);
});
