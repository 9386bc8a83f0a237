import { loadSampler, type HalfLogits, type LogitsInput } from 'quillmate-sampler';
import { describe, expect, test } from 'vitest';
import { refusalOf, wrong } from './refusal.js';

interface Format {
  readonly type: HalfLogits['type'];
  readonly fractionBits: number;
  readonly bias: number;
}
const formats: Format[] = [
  { type: 'float16', fractionBits: 10, bias: 15 },
  { type: 'bfloat16', fractionBits: 7, bias: 127 },
];
const negative = 0x8000;

/** What the bits stand for, as the formats are defined. */
function valueOf({ fractionBits, bias }: Format, bits: number): number {
  const sign = bits & negative ? -1 : 1;
  const exponent = (bits & 0x7fff) >> fractionBits;
  const fraction = (bits & (2 ** fractionBits - 1)) / 2 ** fractionBits;
  if (exponent === 2 * bias + 1) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (exponent === 0 ? fraction * 2 ** (1 - bias) : (1 + fraction) * 2 ** (exponent - bias));
}

/** The bits of the largest number, whose successor is infinity. */
const largest = ({ fractionBits, bias }: Format) => ((2 * bias + 1) << fractionBits) - 1;

describe.each(['on', 'off'] as const)('with SIMD %s,', async (simd) => {
  const sampler = await loadSampler({ simd });

  describe.each(formats)('a $type row', (format) => {
    const { type } = format;
    const infinity = largest(format) + 1;
    const half = (data: Uint16Array) => ({ type, data }) as HalfLogits;
    const widened = (data: Uint16Array) => Float32Array.from(data, (bits) => valueOf(format, bits));
    const uniformBits = (seed: number, size: number, first: number, count: number) =>
      Uint16Array.from({ length: size }, (_, i) => {
        const sign = sampler.uniform(seed, i, 1) < 0.5 ? negative : 0;
        return sign + first + Math.floor(sampler.uniform(seed, i) * count);
      });
    const rows = {
      'every finite number': Uint16Array.from({ length: 2 * infinity }, (_, i) =>
        i < infinity ? i : negative + i - infinity,
      ),
      'numbers up to 8': uniformBits(1, 5000, 0, (format.bias + 3) << format.fractionBits),
      'numbers about 1': uniformBits(2, 33, (format.bias - 2) << format.fractionBits, 4 << format.fractionBits),
      'subnormal numbers': uniformBits(3, 3000, 0, 1 << format.fractionBits),
      'banned tokens among others': uniformBits(4, 4099, format.bias << format.fractionBits, 99).map((bits, i) =>
        i % 3 === 0 ? bits : negative + infinity,
      ),
    };

    test.each(Object.entries(rows))('of %s is the row of the numbers', async (_, data) => {
      const row = widened(data);
      for (const temperature of [0, 2 ** -12, 0.8, 5]) {
        for (const [i, settings] of [{}, { topP: 0.9 }, { topK: 20, topP: 0.95 }].entries()) {
          const draw = { ...settings, temperature, u: sampler.uniform(5, i) };
          expect(sampler.sampleToken(half(data), draw)).toBe(sampler.sampleToken(row, draw));
        }
      }
      const settings = { temperature: 0.8, topK: 500 };
      expect(sampler.distribution(half(data), settings)).toEqual(sampler.distribution(row, settings));

      const step = (logits: LogitsInput) => new sampler.Generator(() => logits, [], { seed: 7 }).step();
      expect(await step(half(data))).toBe(await step(row));

      using inPlace = new sampler.LogitsRow(data.length, type);
      inPlace.view.set(data);
      const draw = { temperature: 0.5, u: 0.7 };
      expect(sampler.sampleToken(half(inPlace.view), draw)).toBe(sampler.sampleToken(row, draw));
      expect(inPlace.view).toEqual(data);

      const batch = Uint16Array.of(...data.subarray(0, 1000).toReversed(), ...data.subarray(0, 1000));
      const draws = { temperature: 0.9, topP: [0.8, 1], u: [0.3, 0.6] };
      const size = batch.length / 2;
      expect(sampler.sampleBatch(half(batch), size, draws)).toEqual(sampler.sampleBatch(widened(batch), size, draws));
    });

    test.each([
      ['NAN_LOGIT', 'NaN', infinity + 1],
      ['NAN_LOGIT', 'a negative NaN', negative + 0x7fff],
      ['INFINITE_LOGIT', 'infinity', infinity],
    ])('is refused with %s for %s, and its index', (code, _, bits) => {
      for (const index of [0, 2, 64, 4999]) {
        const data = new Uint16Array(5000).fill(largest(format));
        data[index] = bits;
        expect(refusalOf(() => sampler.sampleToken(half(data), { u: 0 }))).toMatchObject({ code, index });
      }
    });

    test('without a token, or without one that is allowed, is refused', () => {
      const refused = (data: Uint16Array) => refusalOf(() => sampler.sampleToken(half(data), { u: 0 })).code;
      expect(refused(new Uint16Array(0))).toBe('EMPTY_ROW');
      expect(refused(Uint16Array.of(negative + infinity))).toBe('ALL_BANNED');
    });
  });
});

const sampler = await loadSampler();

test('a Float16Array is a float16 row, where the engine has them', () => {
  const { Float16Array } = globalThis as unknown as {
    Float16Array?: new (numbers: readonly number[]) => Float32Array & { readonly [Symbol.toStringTag]: 'Float16Array' };
  };
  if (!Float16Array) return;
  const row = new Float16Array([1, 2 ** -24, 3, -Infinity, 2.5]);
  const settings = { temperature: 2, topK: 3 };
  const expected = sampler.distribution([...row], settings);
  expect(sampler.distribution(row, settings)).toEqual(expected);
  expect(sampler.distribution({ type: 'float16', data: row }, settings)).toEqual(expected);
});

test('bits whose type is not told are refused', () => {
  const data = Uint16Array.of(1, 2);
  const unclear: unknown[] = [
    data,
    { data },
    { type: 'float32', data },
    { type: 'float16' },
    { type: 'float16', data: [1, 2] },
    { type: 'bfloat16', data: Float32Array.of(1, 2) },
  ];
  for (const logits of unclear) {
    expect(refusalOf(() => sampler.sampleToken(wrong(logits), { u: 0 })).code).toBe('INVALID_LOGITS');
  }
  const error = refusalOf(() => new sampler.LogitsRow(2, wrong('int8')));
  expect(error).toMatchObject({ code: 'INVALID_LOGITS', value: 'to be of type "int8"' });
  expect(error.message).toBe(`the row's type is "int8"; use 'float32', 'float16' or 'bfloat16'`);
});
