import type { Sampler } from '../sampler.js';
import type { FullSettings } from '../settings.js';
import { logarithm } from './logarithm.js';
import { MersenneTwister } from './mersenne-twister.js';

/**
 * The token that PyTorch draws on a CPU (seen in 1.13, without MKL) with
 *
 *     p = softmax(logits / temperature), cut to the nucleus
 *     torch.multinomial(p, 1, generator=torch.Generator().manual_seed(seed))
 *
 * which is the winner of a race: each token has a time q, drawn from the exponential law, and the largest p / q wins,
 * the first of equal ones. `exponential_` in float32 takes two words of MT19937 a token, the low 53 bits of them as
 * k, and rounds -log(1 - k / 2^53) to float32.
 *
 * The scaled logits are rounded where PyTorch rounds them; p is the nearest float32. PyTorch's has errors of some units in
 * the last place, which depend on its build and processor: where two p / q are so close that these decide, or the edge of
 * the nucleus is, the token may differ.
 *
 * Throws a SamplerError: EMPTY_ROW, NAN_LOGIT, INFINITE_LOGIT, ALL_BANNED.
 */
export function torchDraw(
  sampler: Sampler,
  logits: Float32Array,
  { temperature, topP }: Pick<FullSettings, 'temperature' | 'topP'>,
  seed: bigint,
): number {
  const { ids, probabilities } = sampler.distribution(scaled(logits, temperature), { topP });
  const twister = new MersenneTwister(Number(BigInt.asUintN(32, seed)));
  let next = 0;
  let winner = { token: -1, ratio: -1 };
  ids.forEach((token, index) => {
    for (; next < token; ++next) {
      twister.next();
      twister.next();
    }
    ++next;
    const time = exponential(twister.next(), twister.next());
    const ratio = Math.fround(Math.fround(probabilities[index] ?? 0) / time);
    if (ratio > winner.ratio) winner = { token, ratio };
  });
  return winner.token;
}

/** The row that softmax takes its exponentials of. */
function scaled(logits: Float32Array, temperature: number): Float32Array {
  const divisor = Math.fround(temperature);
  const row = logits.map((logit) => logit / divisor);
  const max = row.reduce((a, b) => Math.max(a, b), -Infinity);
  // NaN, +infinity and a row of -infinity alone stay, for the sampler to refuse.
  return Number.isFinite(max) ? row.map((logit) => logit - max) : row;
}

function exponential(high: number, low: number): number {
  const k = (high & 0x1f_ffff) * 0x1_0000_0000 + low;
  return Math.fround(-logarithm((0x20_0000_0000_0000 - k) / 0x20_0000_0000_0000));
}
