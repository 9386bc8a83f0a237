/** A pure function of its arguments in [0, 1), such as `sampler.uniform`. */
export type Uniform = (seed: number, step: number, stream?: number) => number;

const confidences = [1.3, 1.5, 1.7, 2, 2.3, 2.7, 3.3, 5];

/**
 * Rows as a language model makes them: a Zipf-like head (the logarithm of a token's rank, times the row's confidence, below the
 * best) over a Gaussian bulk 20 below the best, in random order. Eight rows of different confidence.
 */
export function modelRows(vocabSize: number, uniform: Uniform): Float32Array[] {
  return confidences.map((confidence, seed) => {
    const order = Uint32Array.from({ length: vocabSize }, (_, i) => i);
    for (let i = vocabSize - 1; i > 0; i--) {
      const j = Math.floor(uniform(seed, i) * (i + 1));
      [order[i], order[j]] = [order[j]!, order[i]!];
    }
    const row = new Float32Array(vocabSize);
    order.forEach((token, rank) => {
      const radius = Math.sqrt(-2 * Math.log(1 - uniform(seed, rank, 1)));
      const bulk = 2 * radius * Math.cos(2 * Math.PI * uniform(seed, rank, 2));
      row[token] = Math.max(bulk - 20, -confidence * Math.log(1 + rank)) + 18;
    });
    return row;
  });
}
