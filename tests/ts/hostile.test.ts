import { loadSampler } from 'quillmate-sampler';
import { describe, expect, test } from 'vitest';
import { refusalOf, wrong } from './refusal.js';

const sampler = await loadSampler();

type Resizable = ArrayBuffer & { resize(bytes: number): void };
const resizable = (bytes: number, maxByteLength: number): Resizable =>
  new (wrong<new (bytes: number, options: object) => Resizable>(ArrayBuffer))(bytes, { maxByteLength });

describe('a row in a buffer that changes its size', () => {
  test('is as long as it is at the call', () => {
    const buffer = resizable(8, 64);
    const row = new Float32Array(buffer); // its length follows the buffer's
    row.set([0, 1]);
    expect(sampler.sampleToken(row, { temperature: 0, u: 0 })).toBe(1);
    buffer.resize(16);
    row.set([0, 1, 0, 2]);
    expect(sampler.sampleToken(row, { temperature: 0, u: 0 })).toBe(3);
    buffer.resize(0);
    expect(refusalOf(() => sampler.sampleToken(row, { u: 0 })).code).toBe('EMPTY_ROW');
  });

  test('and no longer has room for it is empty', () => {
    const buffer = resizable(64, 64);
    const row = new Float32Array(buffer, 32, 8);
    buffer.resize(40);
    expect(refusalOf(() => sampler.sampleToken(row, { u: 0 })).code).toBe('EMPTY_ROW');
  });
});

describe('a getter that takes the row away while the settings are read', () => {
  // The row is read last, as it then is: of 1024 equal logits the middle one is drawn with 0.5.
  const changes: { name: string; change: (row: Float32Array<Resizable>) => void; outcome: number | string }[] = [
    {
      name: 'by shrinking',
      change: ({ buffer }) => {
        buffer.resize(4);
      },
      outcome: 0,
    },
    {
      name: 'by a transfer',
      change: ({ buffer }) => {
        structuredClone(buffer, { transfer: [buffer] });
      },
      outcome: 'EMPTY_ROW',
    },
    {
      name: 'by growing the memory',
      change: () => {
        new sampler.LogitsRow(2 ** 20).dispose();
      },
      outcome: 512,
    },
  ];
  test.each(changes)('$name: the row as it is then', ({ change, outcome }) => {
    for (const setting of ['temperature', 'topK', 'topP', 'u'] as const) {
      const row = new Float32Array(resizable(4096, 4096));
      const settings = { u: 0.5, temperature: 1, topK: 0, topP: 1 };
      const value = settings[setting];
      Object.defineProperty(settings, setting, {
        get: () => {
          change(row);
          return value;
        },
      });
      const draw = (): number => sampler.sampleToken(row, settings);
      if (typeof outcome === 'number') expect(draw(), setting).toBe(outcome);
      else expect(refusalOf(draw).code, setting).toBe(outcome);
      expect(sampler.sampleToken([0, 1], { temperature: 0, u: 0 })).toBe(1);
    }
  });
});

test('a proxy, a getter or a model that throws is heard, and the sampler goes on as before', async () => {
  const thrown = new Error('mine');
  const fail = (): never => {
    throw thrown;
  };
  const trapped = new Proxy({}, { get: fail, ownKeys: fail, getPrototypeOf: fail, has: fail });
  const row = new Proxy([0, 1], { get: fail });
  for (const call of [
    () => sampler.sampleToken([0, 1], wrong(trapped)),
    () => sampler.sampleToken(row, { u: 0 }),
    () => sampler.sampleBatch([0, 1], 2, wrong(trapped)),
    () => sampler.distribution(row),
    () => sampler.speculativeStep(row, [1, 1], 0, 0, 0),
    () => new sampler.Generator(() => [0], [], wrong(trapped)),
  ]) {
    expect(call).toThrow(thrown);
  }
  using generator = new sampler.Generator(fail, [0], { seed: 1 });
  const before = generator.state();
  await expect(generator.step()).rejects.toBe(thrown);
  expect(generator.state()).toEqual(before);
  expect(sampler.sampleToken([0, 1], { temperature: 0, u: 0 })).toBe(1);
});

test('an element that draws another token while a row is read changes neither', () => {
  const inner: number[] = [];
  const row = [0, 0, 5];
  Object.defineProperty(row, 1, {
    get: () => {
      inner.push(sampler.sampleToken([9, 0], { temperature: 0, u: 0 }));
      return 0;
    },
  });
  expect(sampler.sampleToken(row, { temperature: 0, u: 0 })).toBe(2);
  expect(inner).toEqual([0]);
});

test('things that are no rows are refused by name', () => {
  const strange: unknown[] = [
    new DataView(new ArrayBuffer(8)), new ArrayBuffer(8), new Uint8Array(4), new BigInt64Array(2), new Set([1]), '12', 12, 1n,
    null, undefined, Symbol('row'), () => [1], { length: 2, 0: 1, 1: 2 }, Object.create(Float32Array.prototype), [1n], ['1'], [{}], [[1]],
  ]; // prettier-ignore
  for (const row of strange) {
    expect(refusalOf(() => sampler.sampleToken(wrong(row), { u: 0 })).code).toBe('INVALID_LOGITS');
    expect(refusalOf(() => sampler.distribution(wrong(row))).code).toBe('INVALID_LOGITS');
  }
});
