// npm run test:browsers: in Chromium, Firefox and WebKitGTK the built pages write the same texts: the editor, also again, and the
// seed explorer, also in every other way that it has; and they do so once more, reloaded, when their server is gone.
import { build, nodeModules, systemPackages, toolchain } from './project.mjs';
import { main, root, step, StepError } from './steps.mjs';
import { visits } from './visits.mjs';

/** In the page: the texts of all seeds, once they are written. @param {number} length of each, in tokens @returns {Promise<string[]>} */
async function textsInPage(length) {
  const all = () => [...document.querySelectorAll('.explorer[data-running="false"] .drawn')];
  await new Promise((/** @type {(value?: unknown) => void} */ resolve) => {
    const look = () => {
      if (all().length > 0 && all().every(({ childElementCount }) => childElementCount === length)) resolve();
    };
    new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
    look();
  });
  return all().map(({ textContent }) => textContent);
}

/** In the page: what comes of the proof. @returns {Promise<string>} */
async function proofInPage() {
  const buttons = [...document.querySelectorAll('button')];
  buttons.find(({ textContent }) => textContent === 'Prove it')?.click();
  return new Promise((resolve) => {
    const look = () => {
      const verdict = document.querySelector('.verdict')?.textContent ?? '';
      if (verdict.includes('equal')) resolve(verdict);
    };
    new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
    look();
  });
}

/** In the editor: presses a button that writes. @param {string} name its label @returns {Promise<string>} the story, when it stands */
async function storyAfterInPage(name) {
  const page = () => /** @type {HTMLElement | null} */ (document.querySelector('.page'))?.dataset;
  const until = (/** @type {() => boolean} */ isReached) =>
    new Promise((/** @type {(value?: unknown) => void} */ resolve) => {
      const look = () => {
        if (isReached()) resolve();
      };
      new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
      look();
    });
  await until(() => page()?.phase === 'ready');
  const buttons = [...document.querySelectorAll('button')];
  const button = buttons.find(({ textContent }) => textContent === name);
  if (!button) throw new Error(`there is no button ${name}`);
  const began = until(() => page()?.phase === 'writing');
  button.click();
  await began;
  await until(() => page()?.phase === 'ready' && page()?.keeping === 'saved');
  return [...document.querySelectorAll('.story > p')].map(({ textContent }) => textContent).join('\n\n');
}

/** In the page: waits until a build is kept in full. */
async function isKeptInPage() {
  const { active } = await navigator.serviceWorker.ready;
  await new Promise((/** @type {(value?: unknown) => void} */ resolve) => {
    const look = () => {
      if (active?.state === 'activated') resolve();
    };
    active?.addEventListener('statechange', look);
    look();
  });
}

const length = 30;

/** @param {import('./visits.mjs').Visit} visit */
async function textsOf(visit) {
  const { preview } = await import('vite');
  const options = { host: '127.0.0.1', port: 0 };
  const server = await preview({ root: `${root}/web-demo`, preview: options, logLevel: 'error' });
  let serves = true;
  const stop = async () => {
    if (serves) await server.close();
    serves = false;
  };
  try {
    return await visit(async ({ version, open, evaluate }) => {
      const editor = server.resolvedUrls?.local[0] ?? '';
      const explorer = `${editor}explorer.html?length=${length}`;
      await open(editor);
      const story = await evaluate(storyAfterInPage, 'Continue');
      await open(explorer);
      const texts = await evaluate(textsInPage, length);
      const proof = await evaluate(proofInPage, undefined);
      if (proof !== 'All 5 chains are equal.') throw new StepError(proof);
      await evaluate(isKeptInPage, undefined);
      await stop();
      await open(explorer);
      const again = await evaluate(textsInPage, length);
      if (again.join('\n') !== texts.join('\n')) throw new StepError('without a network it writes other texts');
      await open(editor);
      const regenerated = await evaluate(storyAfterInPage, 'Regenerate');
      if (regenerated !== story) throw new StepError(`without a network the editor wrote ${regenerated}, not ${story}`);
      return { version, texts: [story, ...texts] };
    });
  } finally {
    await stop();
  }
}

await main(async () => {
  await systemPackages('browsers');
  await nodeModules();
  await toolchain();
  await build();
  const { chromium, firefox, webkitGtk } = visits;
  /** @type {string[] | undefined} */
  let wanted;
  for (const [name, visit] of Object.entries({ Chromium: chromium, Firefox: firefox, WebKitGTK: webkitGtk })) {
    await step(name, async () => {
      const { version, texts } = await textsOf(visit);
      wanted ??= texts;
      if (texts.join('\n') !== wanted.join('\n')) throw new StepError('it writes other texts than the first browser');
      console.log(`${version}: ${texts.length} texts as elsewhere, proved, and again without a network`);
    });
  }
});
