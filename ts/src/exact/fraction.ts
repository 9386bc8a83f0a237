/** An exact number of 0 or more, in lowest terms. */
export class Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;

  /** @internal */
  constructor(text: string) {
    const [numerator = '', denominator = ''] = text.split('/');
    this.numerator = BigInt(numerator);
    this.denominator = BigInt(denominator);
  }

  /** `"2/7"`; a whole number has the denominator 1. */
  toString(): string {
    return `${this.numerator}/${this.denominator}`;
  }
}
