// log f = 2 artanh s with s = (f - 1) / (f + 1), whose series these are the odd denominators of, last first. With f from
// sqrt(1/2) to 1, s^2 is below 0.03, and what is left out is less than a tenth of a double's last digit.
const denominators = [19, 17, 15, 13, 11, 9, 7, 5, 3];

/**
 * The natural logarithm of a number above 0 and up to 1, within some units of a double's last digit. Of additions,
 * multiplications and divisions alone, so that every engine finds the same bits; `Math.log` differs between them.
 */
export function logarithm(x: number): number {
  let fraction = x;
  let exponent = 0;
  while (fraction < Math.SQRT1_2) {
    fraction *= 2;
    --exponent;
  }
  const s = (fraction - 1) / (fraction + 1);
  const square = s * s;
  let sum = 0;
  for (const denominator of denominators) sum = (sum + 1 / denominator) * square;
  return exponent * Math.LN2 + 2 * s * (1 + sum);
}
