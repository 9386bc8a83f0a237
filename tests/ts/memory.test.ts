import { loadSampler } from 'quillmate-sampler';
import { describe, expect, test } from 'vitest';
import { Core } from '../../ts/src/core.js';
import type { MainModule } from '../../ts/wasm/quillmate.mjs';
import { refusalOf, wrong } from './refusal.js';

const sampler = await loadSampler();

/** A row that the sampler's memory has no room for yet, so that the memory has to grow. */
function growMemory(): void {
  const row = new sampler.LogitsRow(1);
  const before = row.view.buffer.byteLength;
  using large = new sampler.LogitsRow(before / 4);
  expect(large.view.buffer.byteLength).toBeGreaterThan(before);
  row.dispose();
}

describe('a result', () => {
  test('stays as it is while other calls run and the memory grows', () => {
    const batch = sampler.sampleBatch([0, 9, 9, 0], 2, { temperature: 0, u: 0 });
    const { ids, probabilities } = sampler.distribution([0, 0]);
    const { distribution } = sampler.emittedDistribution([1, 1], [1, 3]);
    growMemory();
    sampler.sampleBatch([9, 0, 0, 9], 2, { temperature: 0, u: 0 });
    sampler.distribution([0, 5, 7, 2]);
    sampler.emittedDistribution([1, 7], [1, 3]);
    expect([[...batch], [...ids], [...probabilities], [...distribution]]).toEqual([[1, 0], [0, 1], [0.5, 0.5], [0.5, 0.5]]); // prettier-ignore
  });

  test('owns its memory', () => {
    const { ids, probabilities } = sampler.distribution([0, 0]);
    expect(ids.buffer.byteLength).toBe(8);
    expect(probabilities.buffer.byteLength).toBe(16);
    expect(sampler.sampleBatch([0], 1, { u: 0 }).buffer.byteLength).toBe(4);
    expect(sampler.emittedDistribution([1], [1]).distribution.buffer.byteLength).toBe(8);
  });
});

describe('a row', () => {
  test('may be part of a larger buffer', () => {
    const buffer = Float32Array.of(9, 0, 1, 0, 9);
    expect(sampler.sampleToken(buffer.subarray(1, 4), { temperature: 0, u: 0 })).toBe(1);
  });

  test('may lie in shared memory', () => {
    if (typeof SharedArrayBuffer === 'undefined') return; // a page that is not isolated has none
    const shared = new Float32Array(new SharedArrayBuffer(12));
    shared.set([0, 1, 0]);
    expect(sampler.sampleToken(shared, { temperature: 0, u: 0 })).toBe(1);
  });

  test('that was transferred away is empty', () => {
    const row = Float32Array.of(1, 2);
    structuredClone(row.buffer, { transfer: [row.buffer] });
    expect(refusalOf(() => sampler.sampleToken(row, { u: 0 })).code).toBe('EMPTY_ROW');
    expect(refusalOf(() => sampler.sampleBatch(row, 2, { u: 0 })).code).toBe('EMPTY_ROW');
    expect(refusalOf(() => sampler.distribution(row)).code).toBe('EMPTY_ROW');
  });
});

test('a list that overrides its length is read in its true length', () => {
  class Long extends Float32Array {
    override get length(): number {
      return 1_000_000;
    }
    override get byteOffset(): number {
      return 64;
    }
  }
  expect(sampler.distribution(Long.of(1, 2)).ids).toEqual(Int32Array.of(0, 1));
  using row = new sampler.LogitsRow(2);
  const { buffer, byteOffset } = row.view;
  expect(sampler.distribution(new Long(wrong<ArrayBuffer>(buffer), byteOffset, 2)).ids.length).toBe(2);
  expect(refusalOf(() => sampler.sampleToken(new Proxy(Long.of(1), {}), { u: 0 })).code).toBe('INVALID_LOGITS');
});

test.each([2 ** 28, 2 ** 32 - 1])('an array of %d elements is refused', (length) => {
  const endless: number[] = [];
  endless.length = length;
  const error = refusalOf(() => sampler.sampleToken(endless, { u: 0 }));
  expect(error.code).toBe('WRONG_LENGTH');
  expect(error.message).toContain('does not fit into memory');
});

test('an array whose length is no length is refused', () => {
  for (const length of [-1, 0.5, NaN, '1']) {
    const odd = new Proxy([1], { get: (array, name) => (name === 'length' ? length : array[Number(name)]) });
    expect(refusalOf(() => sampler.sampleToken(odd, { u: 0 })).code).toBe('WRONG_LENGTH');
  }
});

test('memory that has run out is an error, and asked for anew by the next call', () => {
  const asked: number[] = [];
  const answers = [0, 64];
  class FullBuffer {
    reserve(bytes: number): number {
      asked.push(bytes);
      return answers.shift() ?? 0;
    }
  }
  const module = { Buffer: FullBuffer };
  const core = new Core(wrong<MainModule>(module), new WebAssembly.Memory({ initial: 1 }));
  for (const bytes of [NaN, -1, 0.5, 2 ** 31, 2 ** 53]) {
    expect(() => core.scratch(bytes)).toThrow('does not fit into memory');
  }
  expect(asked).toEqual([]);
  expect(() => core.scratch(16)).toThrow('does not fit into memory');
  expect([core.scratch(8), core.scratch(8)]).toEqual([64, 64]);
  expect(() => core.scratch(16)).toThrow('does not fit into memory');
  expect(() => core.scratch(8)).toThrow('does not fit into memory');
  expect(asked).toEqual([16, 8, 16, 8]);
});

describe('a LogitsRow', () => {
  test('is written in place and read without a copy, by every call', async () => {
    using row = new sampler.LogitsRow(4);
    expect(row.size).toBe(4);
    row.view.set([0, 7, 0, 0]);
    expect(sampler.sampleToken([5, 0], { temperature: 0, u: 0 })).toBe(0);
    expect(sampler.sampleToken(row.view, { temperature: 0, u: 0 })).toBe(1);
    expect(sampler.sampleBatch(row.view, 2, { temperature: 0, u: 0 })).toEqual(Int32Array.of(1, 0));
    expect(sampler.distribution(row.view, { temperature: 0 }).ids).toEqual(Int32Array.of(1));
    expect(await new sampler.Generator(() => row.view, [], { temperature: 0 }).step()).toBe(1);
    expect([...row.view]).toEqual([0, 7, 0, 0]);
  });

  test('outlives growth of the memory, and a view that was kept does not', () => {
    using row = new sampler.LogitsRow(3);
    row.view.set([0, 0, 7]);
    const kept = row.view;
    growMemory();
    expect(kept.length).toBe(0);
    expect(sampler.sampleToken(row.view, { temperature: 0, u: 0 })).toBe(2);
  });

  test('is empty once it is disposed', () => {
    const row = new sampler.LogitsRow(3);
    row.dispose();
    row.dispose();
    expect(refusalOf(() => sampler.sampleToken(row.view, { u: 0 })).code).toBe('EMPTY_ROW');
  });

  test.each([-1, 1.5, NaN, 2 ** 29, 2 ** 53, Infinity])('of %d logits is refused', (size) => {
    expect(refusalOf(() => new sampler.LogitsRow(size)).code).toBe('WRONG_LENGTH');
  });
});

describe.each(['on', 'off'] as const)('with SIMD %s,', async (simd) => {
  const own = await loadSampler({ simd });
  const size = 5003;
  const rows = [1, 20].map((scale, seed) =>
    Float32Array.from({ length: size }, (_, i) => own.uniform(seed, i) * scale),
  );
  const settings = [{}, { temperature: 0 }, { topP: 0.9 }, { temperature: 0.8, topK: 40, topP: 0.95 }];

  /** How large the memory is, and where a small piece of it is free. */
  const memory = () => {
    using row = new own.LogitsRow(4);
    return [row.view.buffer.byteLength, row.view.byteOffset];
  };
  const draw = (times: number) => {
    const batch = Float32Array.of(...rows[0]!, ...rows[1]!);
    for (let i = 0; i < times; ++i) {
      for (const row of rows) {
        for (const setting of settings) own.sampleToken(row, { ...setting, u: own.uniform(i, 1) });
      }
      own.sampleBatch(batch, size, { topP: [0.9, 1], u: own.uniform(i, 2) });
    }
  };

  test('no token takes memory once a whole row of its size was looked at', () => {
    for (const row of rows) own.distribution(row); // as the rarest draws do
    draw(1);
    const before = memory();
    draw(1000);
    expect(memory()).toEqual(before);
  });

  test('a batch takes the memory of a row', () => {
    draw(1);
    const before = memory();
    own.sampleBatch(new Float32Array(1000 * size), size, { temperature: 0, u: 0 });
    expect(memory()).toEqual(before);
  });
});

test('a hundred thousand generators that are disposed leave the memory as it was', { timeout: 60_000 }, async () => {
  const prompt = new Int32Array(8);
  const liveTwice = async () => {
    const generator = new sampler.Generator(() => [0, 1], prompt, { seed: 1 });
    await generator.step();
    sampler.Generator.fromState(() => [0, 1], generator.state()).dispose();
    generator.dispose();
  };
  await liveTwice();
  using row = new sampler.LogitsRow(1);
  const before = row.view.buffer.byteLength;
  for (let i = 0; i < 100_000; ++i) new sampler.Generator(() => [0], prompt).dispose();
  for (let i = 0; i < 1_000; ++i) await liveTwice();
  expect(row.view.buffer.byteLength).toBe(before);
});
