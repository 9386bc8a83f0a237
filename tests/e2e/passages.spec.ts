import { fromLinkText, toLinkText, type SharedPassage } from '../../web-demo/src/writing/shared-passage.js';
import { expect, Quillmate, test } from './quillmate.js';

test('several takes side by side, another word in the midst of one, and a passage for somebody else', async ({
  quillmate,
  context,
}) => {
  const { page } = quillmate;
  const takes = page.getByRole('region', { name: 'Takes' });
  const cards = takes.getByRole('listitem');
  await quillmate.open();
  await quillmate.isIn('ready');
  const opening = await quillmate.text();
  await quillmate.length.fill('30');

  const picked = await test.step('three seeds write together; the one that is picked stands in the story', async () => {
    await page.getByRole('button', { name: 'Takes' }).click();
    await quillmate.run(() => takes.getByRole('button', { name: 'Write three' }).click());
    await expect(cards).toHaveCount(3);
    await expect(takes.getByRole('heading', { level: 3 })).toHaveText(['Seed 24', 'Seed 25', 'Seed 26']);
    await expect(cards.first()).toContainText('In the story');
    const other = await takes.getByRole('group', { name: 'Text of seed 26' }).innerText();
    await takes.getByRole('button', { name: 'Star the take of seed 25' }).click();
    await takes.getByRole('button', { name: 'Put the take of seed 26 into the story' }).click();
    const text = await quillmate.text();
    expect(text).toBe(`${opening} ${other.trimStart()}`);
    expect(await quillmate.regenerateToTheEnd()).toBe(text);
    await quillmate.story.press('Control+z');
    await expect(cards.first()).toContainText('In the story');
    await quillmate.story.press('Control+y');
    expect(await quillmate.text()).toBe(text);
    return text;
  });

  await test.step('none of them is lost with a reload, nor the star', async () => {
    await quillmate.isKept();
    await page.reload();
    await quillmate.isIn('ready');
    await page.getByRole('button', { name: 'Takes (3)' }).click();
    await expect(takes.getByRole('button', { name: 'Star the take of seed 25' })).toHaveAttribute(
      'aria-pressed',
      'true',
    );
    await takes.getByRole('button', { name: 'Close' }).click();
  });

  const branched =
    await test.step('a word that is pressed shows what the model weighed, and it goes on from another', async () => {
      const word = await quillmate.passage.first().evaluate((mark) => {
        const range = document.createRange();
        const text = document.createTreeWalker(mark, NodeFilter.SHOW_TEXT).nextNode() as Text;
        const at = text.data.indexOf(' ', 8) + 2;
        range.setStart(text, at);
        range.setEnd(text, at + 1);
        const { x, y, width, height } = range.getBoundingClientRect();
        return { x: x + width / 2, y: y + height / 2, before: text.data.slice(0, at - 1) };
      });
      await page.mouse.click(word.x, word.y);
      const list = page.getByRole('dialog', { name: /^Instead of/ });
      const options = list.getByRole('button');
      await expect(options).toHaveCount(8);
      const shares = (await list.locator('.chance').allInnerTexts()).map((text) => parseFloat(text.replace('< ', '')));
      expect(shares).toEqual([...shares].sort((a, b) => b - a));
      expect(shares.reduce((a, b) => a + b)).toBeLessThanOrEqual(100.1);
      await quillmate.run(() => list.locator('button:not([aria-disabled="true"])').nth(1).click());
      const text = await quillmate.text();
      expect(text).not.toBe(picked);
      expect(text.startsWith(`${opening}${word.before}`)).toBe(true);
      await expect(page.getByRole('button', { name: 'Takes (4)' })).toBeVisible();
      expect(await quillmate.regenerateToTheEnd()).toBe(text);
      return text;
    });

  await test.step('the passage tells all that it was drawn from', async () => {
    await page.getByRole('button', { name: 'Details' }).click();
    const details = page.getByRole('dialog', { name: 'Where these words come from' });
    await expect(details).toContainText('Seed26');
    await expect(details).toContainText('temperature 0.8, top-p 0.95, top-k 0');
    await expect(details).toContainText('Modelllama');
    await expect(details).toContainText(/sha256:[0-9a-f]{64}/);
    await expect(details).toContainText('there came a knock at the door.');
    await details.getByRole('button', { name: 'Close' }).click();
    await expect(details).toBeHidden();
  });

  const [link, other] =
    await test.step('opened from its link the passage is written again, and the page says that the model is the same', async () => {
      await page.getByRole('button', { name: 'Share' }).click();
      const field = page.getByRole('textbox', { name: 'Link' });
      await expect(field).toHaveValue(/#passage=/);
      const link = await field.inputValue();
      expect(link.length).toBeLessThan(2000);
      // The story behind the dialog is left alone: the page does not take the key.
      const enter = await page.evaluateHandle(() => {
        const taken = new Promise<boolean>((resolve) => {
          addEventListener('keydown', ({ key, defaultPrevented }) => {
            if (key === 'Enter') resolve(defaultPrevented);
          });
        });
        return { taken };
      });
      await page.keyboard.press('Control+Enter');
      expect(await enter.evaluate(({ taken }) => taken)).toBe(false);
      expect(await quillmate.text()).toBe(branched);
      await quillmate.isIn('ready');
      await page.keyboard.press('Escape');
      const other = new Quillmate(await context.newPage());
      await other.page.goto(link);
      await expect(other.status).toContainText('The model is the same, and so are the words');
      expect(await other.text()).toBe(branched);
      await other.page.goto(link.slice(0, -40));
      await expect(other.page.getByRole('alert')).toContainText('What was shared is not whole');
      return [link, other] as const;
    });

  const changed = async (change: Partial<SharedPassage>) => {
    const [address = '', text = ''] = link.split('#passage=');
    const passage = await fromLinkText(text);
    if (!passage) throw new Error('the link is not whole');
    return `${address}#passage=${await toLinkText({ ...passage, ...change })}`;
  };

  await test.step('one that the model cannot begin with is refused before there is a story', async () => {
    const title = other.page.getByLabel('Title', { exact: true });
    await title.fill('As it was');
    await other.page.goto(await changed({ prompt: [0, 2 ** 31 - 1], begin: 2 }));
    await expect(other.page.getByRole('alert')).toContainText('does not have all the tokens');
    await other.isIn('ready');
    await expect(title).toHaveValue('As it was');
  });

  await test.step('one that is longer than a run can be is written whole, and its story can be continued', async () => {
    await other.page.goto(await changed({ tokens: 1010, settings: { temperature: 1e-7, topK: 0, topP: 1 } }));
    await expect(other.status).toContainText('The model is the same, but its numbers are not');
    expect(await other.written()).toBe(1010);
    await expect(other.length).toHaveValue('1000');
    await expect(other.page.getByLabel('Temperature')).toHaveValue('1e-7');
    await other.length.fill('5');
    await other.run(() => other.continue.click());
    expect(await other.written()).toBe(1015);
  });
});
