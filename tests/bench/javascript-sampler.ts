/**
 * A sampler as a skilled hand writes it in JavaScript: typed arrays, a heap for top-k, a table for the exponential, quickselect
 * for the nucleus, nothing allocated per token. It has the rules' order but plain floating-point sums: what the package is
 * measured against, not a reference.
 */
export class JavaScriptSampler {
  readonly #weights: Float64Array;
  readonly #selected: Float64Array;
  readonly #ids: Uint32Array;

  constructor(vocabSize: number) {
    this.#weights = new Float64Array(vocabSize);
    this.#selected = new Float64Array(vocabSize);
    this.#ids = Uint32Array.from({ length: vocabSize }, (_, i) => i);
  }

  sampleToken(logits: Float32Array, temperature: number, topK: number, topP: number, u: number): number {
    let best = 0;
    let max = -Infinity;
    for (let i = 0; i < logits.length; i++) {
      const x = logits[i]!;
      if (x > max) {
        max = x;
        best = i;
      }
    }
    if (temperature === 0) return best;
    const filtered = topK > 0 && topK < logits.length;
    const ids = filtered ? largest(logits, topK) : this.#ids;
    const n = filtered ? topK : logits.length;
    const weights = this.#weights;
    const scale = -TABLE_SIZE / Math.LN2 / temperature;
    let total = 0;
    for (let i = 0; i < n; i++) {
      const weight = exponential((logits[ids[i]!]! - max) * scale);
      weights[i] = weight;
      total += weight;
    }
    let least = 0;
    if (topP < 1) {
      // Tokens this light add up to less than what top-p leaves out.
      const irrelevant = ((1 - topP) * total) / n;
      let count = 0;
      for (let i = 0; i < n; i++) {
        const weight = weights[i]!;
        if (weight > irrelevant) this.#selected[count++] = weight;
      }
      least = nucleusWeight(this.#selected, count, topP * total);
      total = 0;
      for (let i = 0; i < n; i++) {
        const weight = weights[i]!;
        if (weight >= least) total += weight;
      }
    }
    const target = u * total;
    let running = 0;
    for (let i = 0; i < n; i++) {
      const weight = weights[i]!;
      if (weight < least) continue;
      running += weight;
      if (running > target) return ids[i]!;
    }
    return best;
  }
}

const TABLE_SIZE = 2048;
// 2^(-i / 2048): with a linear correction good to 2^-24.
const table = Float64Array.from({ length: TABLE_SIZE }, (_, i) => 2 ** (-i / TABLE_SIZE));
const powers = Float64Array.from({ length: 1100 }, (_, i) => 2 ** -i);

/** 2^(-y / 2048) for y >= 0. */
function exponential(y: number): number {
  if (!(y < 2_200_000)) return 0;
  const n = y | 0;
  const rest = (y - n) * (Math.LN2 / TABLE_SIZE);
  return table[n & (TABLE_SIZE - 1)]! * powers[n >> 11]! * (1 - rest);
}

const heap = new Uint32Array(1024);

/** The ids of the k largest logits, ascending, in an array that the next call reuses. */
function largest(logits: Float32Array, k: number): Uint32Array {
  for (let i = 0; i < k; i++) heap[i] = i;
  for (let i = k >> 1; i >= 0; i--) sink(logits, k, i);
  let threshold = logits[heap[0]!]!;
  for (let i = k; i < logits.length; i++) {
    if (logits[i]! <= threshold) continue;
    heap[0] = i;
    sink(logits, k, 0);
    threshold = logits[heap[0]]!;
  }
  return heap.subarray(0, k).sort();
}

/** Restores the heap, whose root is the smallest, below place i. */
function sink(logits: Float32Array, k: number, i: number): void {
  const id = heap[i]!;
  const value = logits[id]!;
  for (let child = 2 * i + 1; child < k; child = 2 * i + 1) {
    if (child + 1 < k && logits[heap[child + 1]!]! < logits[heap[child]!]!) child++;
    if (value <= logits[heap[child]!]!) break;
    heap[i] = heap[child]!;
    i = child;
  }
  heap[i] = id;
}

/** The smallest weight of the fewest that add up to the target: quickselect by sums. Reorders the weights. */
function nucleusWeight(weights: Float64Array, count: number, target: number): number {
  let low = 0;
  let high = count;
  let above = 0;
  for (;;) {
    const pivot = weights[(low + high) >> 1]!;
    // Three parts: above the pivot, equal to it, below it.
    let larger = low;
    let smaller = high;
    let sum = 0;
    for (let i = low; i < smaller;) {
      const weight = weights[i]!;
      if (weight > pivot) {
        sum += weight;
        weights[i++] = weights[larger]!;
        weights[larger++] = weight;
      } else if (weight < pivot) {
        weights[i] = weights[--smaller]!;
        weights[smaller] = weight;
      } else {
        i++;
      }
    }
    const equal = (smaller - larger) * pivot;
    if (larger > low && above + sum >= target) {
      high = larger;
    } else if (above + sum + equal >= target || smaller === high) {
      return pivot;
    } else {
      above += sum + equal;
      low = smaller;
    }
  }
}
