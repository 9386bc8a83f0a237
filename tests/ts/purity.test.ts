import { loadSampler } from 'quillmate-sampler';
import { expect, test } from 'vitest';

const sampler = await loadSampler();

test('no call changes what it is given', async () => {
  const logits = Object.freeze([1, -Infinity, 3, 2, 0, 1]);
  const float32 = Float32Array.from(logits);
  const float64 = Float64Array.from(logits);
  const weights = Float64Array.of(1, 2, 3);
  const draft = Object.freeze([3, 2, 1]);
  const prompt = Int32Array.of(0, 1);
  const columns = { temperature: Float64Array.of(1, 0), topK: Object.freeze([0, 1]), u: Float32Array.of(0.5, 0.25) };
  const options = Object.freeze({ seed: '5', topP: 0.9 });

  for (const row of [logits, float32, float64]) {
    sampler.sampleToken(row, { temperature: 0.5, topK: 2, topP: 0.5, u: 0.5 });
    sampler.distribution(row, { topK: 3, topP: 0.9 });
    sampler.sampleBatch(row, 3, columns);
    const generator = new sampler.Generator(() => row, prompt, options);
    await generator.step();
    sampler.Generator.fromState(() => row, Object.freeze(generator.state()));
  }
  sampler.speculativeStep(weights, draft, 2, 0.99, 0.5);
  sampler.emittedDistribution(weights, draft);

  expect([...float32]).toEqual([...logits]);
  expect([...float64]).toEqual([...logits]);
  expect([...weights]).toEqual([1, 2, 3]);
  expect([...prompt]).toEqual([0, 1]);
  expect([...columns.temperature, ...columns.u]).toEqual([1, 0, 0.5, 0.25]);
});
