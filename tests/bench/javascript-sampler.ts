/**
 * A sampler as a skilled hand writes it in JavaScript: typed arrays, unrolled loops, a heap for top-k, a table for the exponential,
 * quickselect for the nucleus, nothing allocated per token. It has the rules' order but plain floating-point sums, and no bad row
 * is refused: what the package is measured against, not a reference.
 */
export class JavaScriptSampler {
  readonly #weights: Float64Array;
  readonly #candidates: Uint32Array; // places in the row
  readonly #selected: Float64Array;

  constructor(vocabSize: number) {
    this.#weights = new Float64Array(vocabSize);
    this.#candidates = new Uint32Array(vocabSize);
    this.#selected = new Float64Array(vocabSize);
  }

  sampleToken(logits: Float32Array, temperature: number, topK: number, topP: number, u: number): number {
    if (temperature === 0) return argmax(logits);
    if (topK === 0 || topK >= logits.length) return this.#draw(logits, logits.length, temperature, topP, u);
    const ids = largest(logits, topK);
    for (let i = 0; i < topK; i++) chosen[i] = logits[ids[i]!]!;
    return ids[this.#draw(chosen, topK, temperature, topP, u)]!;
  }

  /** A place in the first n logits. */
  #draw(logits: Float32Array, n: number, temperature: number, topP: number, u: number): number {
    const weights = this.#weights;
    const best = argmax(logits, n);
    const scale = -STEPS / Math.LN2 / temperature;
    const offset = -logits[best]! * scale;
    let total = 0;
    let other = 0; // does not wait for the first
    for (let i = 0; i < n - 1; i += 2) {
      const a = exponential(logits[i]! * scale + offset);
      const b = exponential(logits[i + 1]! * scale + offset);
      weights[i] = a;
      weights[i + 1] = b;
      total += a;
      other += b;
    }
    if (n % 2 === 1) total += weights[n - 1] = exponential(logits[n - 1]! * scale + offset);
    total += other;
    if (topP === 1) return walk(weights, n, u * total) ?? best;

    // Tokens this light add up to less than what top-p leaves out.
    const irrelevant = ((1 - topP) * total) / n;
    const candidates = this.#candidates;
    let count = 0;
    for (let i = 0; i < n; i++) if (weights[i]! > irrelevant) candidates[count++] = i;
    const selected = this.#selected;
    for (let i = 0; i < count; i++) selected[i] = weights[candidates[i]!]!;
    const least = nucleusWeight(selected, count, topP * total);
    let kept = 0;
    let sum = 0;
    for (let i = 0; i < count; i++) {
      const weight = weights[candidates[i]!]!;
      if (weight < least) continue;
      candidates[kept] = candidates[i]!;
      selected[kept++] = weight;
      sum += weight;
    }
    return candidates[walk(selected, kept, u * sum) ?? 0]!;
  }
}

/** The place of the largest of the first n logits. */
function argmax(logits: Float32Array, n = logits.length): number {
  let best = 0;
  let max = -Infinity;
  let i = 0;
  for (; i + 3 < n; i += 4) {
    // One branch for four, which is never taken but for a new maximum.
    if (logits[i]! > max || logits[i + 1]! > max || logits[i + 2]! > max || logits[i + 3]! > max) {
      for (let j = i; j < i + 4; j++) if (logits[j]! > max) max = logits[(best = j)]!;
    }
  }
  for (; i < n; i++) if (logits[i]! > max) max = logits[(best = i)]!;
  return best;
}

/** The first place at which the running weight is greater than the target. */
function walk(weights: Float64Array, n: number, target: number): number | undefined {
  let running = 0;
  for (let i = 0; i < n; i++) {
    running += weights[i]!;
    if (running > target) return i;
  }
  return undefined;
}

const STEPS = 256; // an octave
const OCTAVES = 64;
// 2^(-i / STEPS), and nothing from 2^-OCTAVES on: with a linear correction good to 2^-18.
const table = Float64Array.from({ length: STEPS * OCTAVES + 1 }, (_, i) =>
  i < STEPS * OCTAVES ? 2 ** (-i / STEPS) : 0,
);

/** 2^(-y / STEPS) for y >= 0. */
function exponential(y: number): number {
  const bounded = y < STEPS * OCTAVES ? y : STEPS * OCTAVES;
  const n = bounded | 0;
  return table[n]! * (1 - (bounded - n) * (Math.LN2 / STEPS));
}

const chosen = new Float32Array(1024);
const heap = new Uint32Array(1024);

/** The ids of the k largest logits, ascending, in an array that the next call reuses. */
function largest(logits: Float32Array, k: number): Uint32Array {
  for (let i = 0; i < k; i++) heap[i] = i;
  for (let i = k >> 1; i >= 0; i--) sink(logits, k, i);
  let threshold = logits[heap[0]!]!;
  const add = (i: number): void => {
    if (!(logits[i]! > threshold)) return;
    heap[0] = i;
    sink(logits, k, 0);
    threshold = logits[heap[0]]!;
  };
  const n = logits.length;
  let i = k;
  for (; i + 7 < n; i += 8) {
    if (
      logits[i]! > threshold ||
      logits[i + 1]! > threshold ||
      logits[i + 2]! > threshold ||
      logits[i + 3]! > threshold ||
      logits[i + 4]! > threshold ||
      logits[i + 5]! > threshold ||
      logits[i + 6]! > threshold ||
      logits[i + 7]! > threshold
    ) {
      for (let j = i; j < i + 8; j++) add(j);
    }
  }
  for (; i < n; i++) add(i);
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
