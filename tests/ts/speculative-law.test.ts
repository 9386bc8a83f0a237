// The law of what speculation emits, by counting; and of faulty speculations, which the same counting must tell from it.
import { loadSampler, type Model } from 'quillmate-sampler';
import { SpeculativeGenerator, type SpeculationMode } from 'quillmate-sampler/speculative';
import { describe, expect, test } from 'vitest';

const sampler = await loadSampler();

const p = [0.34, 0.33, 0.33];
const q = [0.8, 0.15, 0.05];
const logs = (weights: readonly number[]) => Float64Array.from(weights, (weight) => Math.log(weight));

/** Below it with probability 0.9999 where the law is right: of that many degrees of freedom (Wilson and Hilferty). */
const limit = (freedom: number) => freedom * (1 - 2 / (9 * freedom) + 3.72 * Math.sqrt(2 / (9 * freedom))) ** 3;

function chiSquare(counts: readonly number[], law: readonly number[]): number {
  const total = counts.reduce((a, b) => a + b);
  return law.reduce((sum, share, i) => sum + (counts[i]! - share * total) ** 2 / (share * total), 0);
}

/** Draws one token of p with the numbers of a seed, by way of a guess from q. */
type Scheme = (u: (stream: number) => number) => number;

const guess = (u: number, weights = q): number => sampler.sampleToken(logs(weights), { u });

function chiSquareOf(scheme: Scheme, draws = 4000): number {
  const counts = [0, 0, 0];
  for (let seed = 0; seed < draws; ++seed) counts[scheme((stream) => sampler.uniform(seed, 0, stream))]! += 1;
  return chiSquare(counts, p);
}

describe('a token of p by way of a guess from q', () => {
  test('has the law of p', () => {
    expect(chiSquareOf((u) => sampler.speculativeStep(p, q, guess(u(1)), u(2), u(3)).token)).toBeLessThan(limit(2));
  });

  // What each of them does wrong makes another law, which as many draws must show.
  test.each<[string, Scheme]>([
    [
      'one number for the guess and its correction',
      (u) => sampler.speculativeStep(p, q, guess(u(1)), u(2), u(1)).token,
    ],
    [
      'one number for the decision and the correction',
      (u) => sampler.speculativeStep(p, q, guess(u(1)), u(2), u(2)).token,
    ],
    ['one number for the guess and the decision', (u) => sampler.speculativeStep(p, q, guess(u(1)), u(1), u(3)).token],
    [
      'a correction among the tokens that were sent with the guess alone',
      (u) => {
        const sent = [0.8, 0.2, 0]; // of q, the two best
        const token = guess(u(1), sent);
        if (u(2) * sent[token]! < p[token]!) return token;
        const rest = p.map((share, i) => (sent[i] === 0 ? 0 : Math.max(0, share - sent[i]!)));
        return sampler.sampleToken(logs(rest), { u: u(3) });
      },
    ],
    [
      'a q that is not the one of the guess, but its square root',
      (u) => sampler.speculativeStep(p, q.map(Math.sqrt), guess(u(1)), u(2), u(3)).token,
    ],
    [
      'the target itself in the place of the correction',
      (u) => {
        const { token, accepted } = sampler.speculativeStep(p, q, guess(u(1)), u(2), u(3));
        return accepted ? token : sampler.sampleToken(logs(p), { u: u(3) });
      },
    ],
  ])('has another law with %s', (_, scheme) => {
    expect(chiSquareOf(scheme)).toBeGreaterThan(2 * limit(2));
  });
});

describe.each<SpeculationMode>(['text', 'distribution'])('three tokens in mode %s', (mode) => {
  // Each row depends on the token before.
  const target = (tokens: readonly number[]) => [p, [0.1, 0.6, 0.3], [0.45, 0.05, 0.5]][tokens.at(-1) ?? 0]!;
  const draft = (tokens: readonly number[]) => [q, [0.3, 0.3, 0.4], [0.05, 0.9, 0.05]][tokens.at(-1) ?? 0]!;
  const ids = [0, 1, 2];
  const law = ids.flatMap((a) =>
    ids.flatMap((b) => ids.map((c) => target([0])[a]! * target([0, a])[b]! * target([0, a, b])[c]!)),
  );
  const model: Model = Object.assign((tokens: readonly number[]) => logs(target(tokens)), {
    rows: (tokens: readonly number[], count: number) =>
      Array.from({ length: count }, (_, i) => logs(target(tokens.slice(0, tokens.length - count + 1 + i)))),
  });

  async function countsOf(depth: number | number[], draws: number): Promise<number[]> {
    const counts = Array<number>(27).fill(0);
    const models = { target: model, draft: (tokens: readonly number[]) => logs(draft(tokens)) };
    for (let seed = 0; seed < draws; ++seed) {
      using generator = new SpeculativeGenerator(sampler, models, [0], { seed, mode, depth });
      for (let step = 0; step < 3; ++step) await generator.step();
      const [, a = 0, b = 0, c = 0] = generator.tokens;
      counts[9 * a + 3 * b + c]! += 1;
    }
    return counts;
  }

  test.each([[1], [2], [5], [[0, 1]]])('have the law of the target, with depth %j', async (depth) => {
    expect(chiSquare(await countsOf(depth, 3000), law)).toBeLessThan(limit(26));
  });

  test('do not have a law that is a little other', async () => {
    const wrong = law.map((share, i) => share * (i % 2 === 0 ? 1.1 : 0.9));
    const total = wrong.reduce((a, b) => a + b);
    expect(
      chiSquare(
        await countsOf(2, 6000),
        wrong.map((share) => share / total),
      ),
    ).toBeGreaterThan(limit(26));
  });
});
