const size = 624;
const shift = 397;

/**
 * MT19937 of Matsumoto and Nishimura ("Mersenne Twister", ACM TOMACS 8, 1998), begun with one word as their
 * `init_genrand` of 2002 does.
 */
export class MersenneTwister {
  readonly #state = new Uint32Array(size);
  #next = size;

  /** @param seed of which the low 32 bits count */
  constructor(seed: number) {
    this.#state[0] = seed;
    for (let i = 1; i < size; ++i) {
      const before = this.#at(i - 1);
      this.#state[i] = Math.imul(1_812_433_253, before ^ (before >>> 30)) + i;
    }
  }

  /** The next word, from 0 to 2^32 - 1. */
  next(): number {
    if (this.#next === size) this.#twist();
    let word = this.#at(this.#next++);
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c_5680;
    word ^= (word << 15) & 0xefc6_0000;
    return (word ^ (word >>> 18)) >>> 0;
  }

  #twist(): void {
    for (let i = 0; i < size; ++i) {
      const joined = (this.#at(i) & 0x8000_0000) | (this.#at((i + 1) % size) & 0x7fff_ffff);
      this.#state[i] = this.#at((i + shift) % size) ^ (joined >>> 1) ^ (joined & 1 ? 0x9908_b0df : 0);
    }
    this.#next = 0;
  }

  #at(index: number): number {
    return this.#state[index] ?? 0;
  }
}
