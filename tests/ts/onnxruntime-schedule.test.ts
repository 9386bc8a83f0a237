import { loadSampler } from 'quillmate-sampler';
import { loadModel, type OnnxModel } from 'quillmate-sampler/onnxruntime';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { scheduleOf } from '../../ts/dist/onnxruntime/schedule.js';
import { bitsOf, bundled, forgetTexts, generatedAgain, loadChanged, someText, unpadded } from './onnx-models.js';

// Until an engine has optimised the runtime, it takes its time.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe('the one schedule', () => {
  /** For each length of the text how many tokens are evaluated at once, and how many one by one. */
  const calls = (promptLength: number, contextLength: number, lengths: readonly number[]) =>
    lengths.map((length) => {
      const { window, first } = scheduleOf({ tokens: someText(length), promptLength }, contextLength);
      return [first, window.length - first];
    });

  it('takes the prompt in one call, then token by token', () => {
    expect(calls(5, 512, [5, 6, 7, 512])).toEqual([
      [5, 0],
      [5, 1],
      [5, 2],
      [5, 507],
    ]);
  });

  it('begins a text without a prompt with its first token', () => {
    expect(calls(0, 512, [1, 2])).toEqual([
      [1, 0],
      [1, 1],
    ]);
  });

  it('takes all that is in the window in one call when the window moves, then token by token', () => {
    expect(calls(5, 8, [8, 9, 10, 11])).toEqual([
      [5, 3],
      [7, 0],
      [7, 1],
      [7, 0],
    ]);
  });

  it('takes a prompt longer than the context as far as the model sees it', () => {
    expect(calls(20, 8, [20, 21])).toEqual([
      [8, 0],
      [7, 0],
    ]);
  });
});

// In npm test one thread in Node and two in Chromium; npm run test:runtime asks for both in both.
const threadCounts = import.meta.env.VITE_EVERY_THREADS === undefined ? ['process' in globalThis ? 1 : 2] : [1, 2];

describe.each(threadCounts)('the probe, with %i threads', (threads) => {
  it('finds that the bundled model is invariant', async () => {
    using model = await loadModel({ url: bundled, threads });
    expect(model.identity).toMatchObject({ threads: String(threads), invariant: 'yes' });
  });

  it('is left out where the verdict is known', async () => {
    using model = await loadModel({ url: bundled, threads, invariant: false });
    expect(model.identity).toMatchObject({ invariant: 'no' });
  });

  it('finds that it is not when its bits differ on long texts only', async () => {
    using model = await loadChanged(unpadded.row, threads);
    expect(model.identity).toMatchObject({ threads: String(threads), invariant: 'no' });
  });
});

describe.each(threadCounts)('a model that is not invariant, with %i threads', (threads) => {
  const promptLength = 20;
  const text = someText(516);
  const lengths = [20, 25, 64, 257, 300];
  let model: OnnxModel;
  const rows = new Map<number, string>();
  const rowAt = async (length: number, of = text): Promise<string> =>
    bitsOf(await model(of.slice(0, length), { promptLength }));

  beforeAll(async () => {
    model = await loadChanged(unpadded.keys, threads);
    for (let length = promptLength; length <= 300; length++) rows.set(length, await rowAt(length));
  });
  afterAll(() => {
    model.dispose();
  });

  it('is found to be none, and gives no several rows at once', () => {
    expect(model.identity).toMatchObject({ threads: String(threads), invariant: 'no' });
    expect(model.rows).toBeUndefined();
  });

  it('gives other bits when the text is evaluated otherwise', async () => {
    for (const length of [25, 65, 257, 300]) {
      await forgetTexts(model);
      expect(bitsOf(await model(text.slice(0, length)))).not.toBe(rows.get(length));
    }
  });

  it('gives a text that comes again the same bits', async () => {
    for (const length of lengths) expect(await rowAt(length)).toBe(rows.get(length));
  });

  it('gives a text that it has to evaluate anew the same bits', async () => {
    for (const length of lengths) {
      await forgetTexts(model);
      expect(await rowAt(length)).toBe(rows.get(length));
    }
  });

  it('gives a branch the same bits, whether or not the text that it leaves is known', async () => {
    const branch = [...text.slice(0, 270), ...someText(5, 1)];
    await rowAt(300);
    const known = await rowAt(275, branch);
    await forgetTexts(model);
    expect(await rowAt(275, branch)).toBe(known);
    expect(await rowAt(300)).toBe(rows.get(300));
  });

  it('writes the same text from the same rows when it is generated again, and again', async () => {
    const [first, ...others] = await generatedAgain(model);
    for (const other of others) expect(other).toEqual(first);
  });

  it('tells texts apart that have the same tokens and other prompts', async () => {
    const whole = bitsOf(await model(text.slice(0, 65), { promptLength: 65 }));
    expect(whole).not.toBe(rows.get(65));
    expect(await rowAt(65)).toBe(rows.get(65));
    expect(bitsOf(await model(text.slice(0, 65)))).toBe(whole);
  });

  it('sees the same when the window moves and when the text is taken up later', async () => {
    const longer = async (length: number) => bitsOf(await model(text.slice(0, length), { promptLength: 505 }));
    const known: string[] = [];
    for (let length = 511; length <= text.length; length++) known.push(await longer(length));
    for (const length of [512, 513, 514]) {
      await forgetTexts(model);
      expect(await longer(length)).toBe(known[length - 511]);
    }
  });

  it('lets a generator go on after a break as if there had been none', async () => {
    const sampler = await loadSampler();
    const prompt = someText(10, 2);
    const settings = { seed: 42, temperature: 0.8, topP: 0.95 };
    using straight = new sampler.Generator(model, prompt, settings);
    for (let step = 0; step < 20; step++) await straight.step();

    using interrupted = new sampler.Generator(model, prompt, settings);
    for (let step = 0; step < 7; step++) await interrupted.step();
    await forgetTexts(model);
    const asked = vi.fn(model);
    using resumed = sampler.Generator.fromState(asked, interrupted.state());
    while (resumed.tokens.length < straight.tokens.length) await resumed.step();
    expect(resumed.tokens).toEqual(straight.tokens);
    expect(asked).toHaveBeenLastCalledWith(straight.tokens.slice(0, -1), { promptLength: 10 });
  });

  it('refuses a prompt that the text does not have', async () => {
    for (const promptLength of [-1, 3, 1.5]) {
      await expect(model([1, 2], { promptLength })).rejects.toMatchObject({ code: 'WRONG_LENGTH' });
    }
  });
});
