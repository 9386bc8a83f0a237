export interface Mark {
  readonly name: string;
  /** Of everything up to here, in hexadecimal. */
  readonly hash: string;
}

/**
 * FNV-1a, 64 bits, over everything that was added; digest.hpp makes the same. A number is the eight bytes of its binary64,
 * lowest first, a text its length in bytes and its bytes.
 */
export class Digest {
  readonly marks: Mark[] = [];
  values = 0;
  // The hash in two halves: a BigInt a byte would be slow.
  #high = 0xcbf29ce4;
  #low = 0x84222325;
  readonly #number = new DataView(new ArrayBuffer(8));

  add(value: number | string): void {
    if (typeof value === 'string') {
      const bytes = new TextEncoder().encode(value);
      this.add(bytes.length);
      bytes.forEach((byte) => {
        this.#addByte(byte);
      });
      return;
    }
    this.#number.setFloat64(0, value, true);
    for (let i = 0; i < 8; i++) this.#addByte(this.#number.getUint8(i));
    this.values++;
  }

  mark(name: string): void {
    const hash = [this.#high, this.#low].map((half) => half.toString(16).padStart(8, '0')).join('');
    this.marks.push({ name, hash });
  }

  // Times 2^40 + 0x1b3.
  #addByte(byte: number): void {
    const low = (this.#low ^ byte) >>> 0;
    const product = low * 0x1b3;
    this.#high = (Math.imul(this.#high, 0x1b3) + (low << 8) + Math.floor(product / 0x1_0000_0000)) >>> 0;
    this.#low = product >>> 0;
  }
}
