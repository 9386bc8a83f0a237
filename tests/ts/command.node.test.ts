import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { loadSampler, type GeneratorState } from 'quillmate-sampler';
import { loadModel } from 'quillmate-sampler/onnxruntime';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { tinyDecoder } from './tiny-decoder.js';

vi.setConfig({ testTimeout: 180_000 });
const command = fileURLToPath(new URL('../../ts/dist/command/main.js', import.meta.url));
let folder: string;
let model: string;

/** A model whose tokens are letters, and one that opens a text. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quillmate-command-'));
  model = join(folder, 'letters');
  const letters = ['<s>', ...Array.from('abcdefghijklmnopqrstuvwxyz')];
  const decoder = { layers: 1, heads: 2, headSize: 4, vocabSize: letters.length };
  const start = { id: 0, content: '<s>', single_word: false, lstrip: false, rstrip: false, normalized: false, special: true }; // prettier-ignore
  const vocab = Object.fromEntries(letters.map((letter, id) => [letter, id]));
  const files = {
    'config.json': { model_type: 'letters', max_position_embeddings: 64, vocab_size: letters.length },
    'tokenizer.json': {
      added_tokens: [start],
      normalizer: null,
      pre_tokenizer: null,
      post_processor: null,
      decoder: { type: 'Fuse' },
      model: { type: 'BPE', vocab, merges: [] },
    },
    'tokenizer_config.json': { bos_token: '<s>' },
  };
  await mkdir(join(model, 'onnx'), { recursive: true });
  for (const [name, content] of Object.entries(files)) await writeFile(join(model, name), JSON.stringify(content));
  const bytes = tinyDecoder({ ...decoder, type: 'float32', told: true, positions: true, asked: false });
  await writeFile(join(model, 'onnx/model_quantized.onnx'), bytes);
});
afterAll(() => rm(folder, { recursive: true }));

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly told: string;
}

async function quillmate(args: readonly string[], input = ''): Promise<Outcome> {
  const child = spawn(process.execPath, [command, ...args]);
  child.stdin.end(input);
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, told, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { code, out, told };
}

interface Written {
  readonly text: string;
  readonly reason: string;
  readonly tokens: readonly number[];
  readonly state: GeneratorState;
}

const settings = ['--seed', '24', '--top-p', '0.95', '--temperature', '20'];

describe('the command with a model', () => {
  test('writes the text of a seed, goes on with it, and finds it to be the same or not', async () => {
    const state = join(folder, 'tale.json');
    const begun = await quillmate(
      ['generate', model, '--prompt-file', '-', '--max-tokens', '5', '--state', state, ...settings],
      'once',
    );
    expect(begun).toMatchObject({
      code: 0,
      told: expect.stringMatching(/^seed 24, 5 tokens, .*maxTokens\n$/) as string,
    });
    const resumed = await quillmate([
      'resume',
      model,
      state,
      '--max-tokens',
      '4',
      '--json',
      '--quiet',
      '--state',
      state,
    ]);
    expect(resumed).toMatchObject({ code: 0, told: '' });
    const written = JSON.parse(resumed.out) as Written;
    expect(written.text.startsWith(begun.out.slice(0, -1))).toBe(true);
    expect(JSON.parse(await readFile(state, 'utf8'))).toEqual(written.state);

    // What a program does with the package: a single generator.
    using own = await loadModel({ url: model });
    const sampler = await loadSampler();
    const prompt = written.state.tokens.slice(0, written.state.promptLength);
    const options = { seed: 24, topP: 0.95, temperature: 20, audit: 'light' } as const;
    using generator = new sampler.Generator(own, prompt, options);
    await generator.run({ maxTokens: 9 });
    expect(written.state).toEqual(generator.state());
    expect(written.tokens).toEqual(generator.tokens.slice(-4));

    const verified = await quillmate(['verify', model, state, '--json']);
    expect(verified).toMatchObject({ code: 0, told: '' });
    expect(JSON.parse(verified.out)).toEqual({ same: true, tokens: 9, differentToken: null, mismatch: null, audit: 'light' }); // prettier-ignore

    // A token that the model's numbers do not give.
    const tokens = written.state.tokens.with(prompt.length + 1, 0);
    await writeFile(state, JSON.stringify({ ...written.state, tokens }));
    const others = await quillmate(['verify', model, state, '--json']);
    expect(others.code).toBe(3);
    expect(JSON.parse(others.out)).toMatchObject({ same: false, differentToken: prompt.length + 1, tokens: 2 });
  });

  test('ends with a text that was asked for', async () => {
    const args = ['generate', model, '--prompt', 'a', '--quiet', ...settings];
    const whole = await quillmate([...args, '--max-tokens', '8']);
    const [, first = '', second = ''] = whole.out;
    for (const stop of [first, first + second]) {
      const { code, out } = await quillmate([...args, '--stop', stop, '--json']);
      expect(code).toBe(0);
      expect(JSON.parse(out)).toMatchObject({ text: `a${stop}`, reason: 'stop' });
    }
  });

  /** Writes until something is done to it. */
  const endless = (state: string) =>
    spawn(process.execPath, [command, 'generate', model, '--max-tokens', '1000000000', '--state', state, ...settings]);

  test.each(['interrupted', 'left by its reader'])('keeps what it has written when it is %s', async (how) => {
    const state = join(folder, `${how}.json`);
    const child = endless(state);
    const told = text(child.stderr);
    const closed = new Promise((resolve) => child.once('close', resolve));
    await once(child.stdout, 'data');
    if (how === 'interrupted') child.kill('SIGINT');
    else child.stdout.destroy();
    expect(await closed).toBe(130);
    expect(await told).toMatch(/^seed 24, \d+ tokens, .*aborted\n$/);
    const { step } = JSON.parse(await readFile(state, 'utf8')) as GeneratorState;
    expect(step).toBeGreaterThan(0);
    expect(await quillmate(['verify', model, state, '--quiet'])).toMatchObject({ code: 0 });
  });

  test('has written nothing where no state can be kept', async () => {
    const refused = await quillmate(['generate', model, '--state', join(folder, 'no/such/folder/x.json')]);
    expect(refused).toMatchObject({ code: 1, out: '', told: expect.stringContaining('no/such/folder') as string });
  });

  test('has written nothing when a setting is refused', async () => {
    const state = join(folder, 'none.json');
    const refused = await quillmate(['generate', model, '--top-p', '1.5', '--state', state]);
    expect(refused).toMatchObject({ code: 2, out: '', told: expect.stringContaining('1.5') as string });
    await expect(readFile(state)).rejects.toThrow('ENOENT');
  });
});

test('an argument that is wrong is named, in one line', async () => {
  const cases = [
    [['generate'], 2, 'MODEL'],
    [['generate', model, '--sed', '1'], 2, '--sed'],
    [['generate', model, '--top-k', 'ten'], 2, '"ten"'],
    [['generate', model, '--audit', 'some'], 2, 'some'],
    [['generate', model, '--prompt', 'a', '--prompt-file', 'b'], 2, '--prompt-file'],
    [['write', model], 2, 'write'],
    [['generate', '/no/such/folder'], 1, '/no/such/folder'],
    [['verify', model, '/no/such/state'], 1, '/no/such/state'],
  ] as const;
  for (const [args, code, named] of cases) {
    const outcome = await quillmate(args);
    expect(outcome).toMatchObject({ code, out: '', told: expect.stringContaining(named) as string });
    expect(outcome.told.trim().split('\n')).toHaveLength(1);
  }
});

test('an option that a command does not take, or whose value begins with a dash, is told with its remedy', async () => {
  const cases = [
    [['generate', model, '--prompt', '- he said'], `the value of --prompt begins with a dash; write --prompt='- he said'`],
    [['generate', model, '--prompt', "-isn't\nso"], `the value of --prompt begins with a dash; write --prompt='-isn'\\''t…'`],
    [['generate', model, '--seed', '-5'], 'the value of --seed begins with a dash; write --seed=-5'],
    [['resume', model, 'state', '--seed', '3'], 'resume takes no --seed'],
    [['verify', model, 'state', '--stop', '.'], 'verify takes no --stop'],
    [['generate', model, '--prompt'], "Option '--prompt <value>' argument missing"],
  ] as const; // prettier-ignore
  for (const [args, sentence] of cases) {
    expect(await quillmate(args)).toEqual({
      code: 2,
      out: '',
      told: `quillmate-sampler: ${sentence}; see quillmate-sampler --help\n`,
    });
  }
  // As the remedy says; the sampler then tells which seeds there are.
  const followed = await quillmate(['generate', model, '--prompt=- he', '--seed=-5']);
  expect(followed).toMatchObject({ code: 2, told: expect.stringContaining('the seed is "-5"') as string });
});

test('the help names every exit code, the version is that of the package', async () => {
  const { out, code } = await quillmate(['--help']);
  expect(code).toBe(0);
  expect(out).toMatch(/0 done.*1 failed.*2 the.*3 verify.*130/s);
  const { version } = JSON.parse(await readFile('ts/package.json', 'utf8')) as { version: string };
  expect((await quillmate(['--version'])).out).toBe(`${version}\n`);
});
