import {
  loadSampler,
  SamplerError,
  type ErrorCode,
  type GeneratorState,
  type LogitsInput,
  type Sampler,
} from 'quillmate-sampler';
import { expect, expectTypeOf, test } from 'vitest';

const sampler = await loadSampler();

/** Compiled, never run: each line below is a mistake that the compiler must reject. */
export async function mistakes(state: GeneratorState): Promise<void> {
  // @ts-expect-error u has no default: a forgotten one would make every token alike
  sampler.sampleToken([1], {});
  // @ts-expect-error text is no number
  sampler.sampleToken([1], { u: 0, temperature: '0.7' });
  // @ts-expect-error null is no default
  sampler.sampleToken([1], { u: 0, topK: null });
  // @ts-expect-error the names are camelCase
  sampler.sampleToken([1], { u: 0, top_p: 0.9 });
  // @ts-expect-error bytes are no logits
  sampler.sampleToken(new Uint8Array(4), { u: 0 });
  // @ts-expect-error bits are of one type or the other
  sampler.sampleToken(new Uint16Array(4), { u: 0 });
  // @ts-expect-error a batch needs the size of its rows
  sampler.sampleBatch([1, 2], { u: 0 });
  // @ts-expect-error a date is no seed
  sampler.uniform(new Date(), 0);
  // @ts-expect-error a sampler comes from loadSampler()
  new Sampler();
  // @ts-expect-error a model returns logits
  new sampler.Generator(() => 'text', []);
  // @ts-expect-error a generator needs its prompt
  new sampler.Generator(() => [1]);
  // @ts-expect-error the seed is told, not set
  new sampler.Generator(() => [1], []).seed = '1';
  // @ts-expect-error a state has its version
  sampler.Generator.fromState(() => [1], { ...state, version: 2 });
  // @ts-expect-error the tokens of the model's input are not its to rely on
  new sampler.Generator((tokens: number[]) => [tokens.push(1)], []);
  // @ts-expect-error the codes are a list
  new SamplerError('NO_SUCH_CODE');
  // @ts-expect-error a step takes no logits, its model gives them
  await new sampler.Generator(() => [1], []).step([1]);
}

test('results have their types', () => {
  expectTypeOf(sampler.sampleToken([0], { u: 0 })).toEqualTypeOf<number>();
  expectTypeOf(sampler.sampleBatch([0], 1, { u: 0 })).toExtend<Int32Array>();
  expectTypeOf(sampler.distribution([0]).probabilities).toExtend<Float64Array>();
  expectTypeOf<Float32Array>().toExtend<LogitsInput>();
  expectTypeOf(new SamplerError('EMPTY_ROW').code).toEqualTypeOf<ErrorCode>();
  expect(typeof mistakes).toBe('function');
});
