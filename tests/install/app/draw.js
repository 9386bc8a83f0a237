import { loadSampler } from 'quillmate-sampler';

/** @param {import('quillmate-sampler').LoadOptions} [options] the token of the README's example, which is 3 */
export async function draw(options) {
  const sampler = await loadSampler(options);
  const logits = Float32Array.from([0.05, 0.5, 0.15, 0.3], Math.log);
  return sampler.sampleToken(logits, { topP: 0.75, u: 0.7 });
}
