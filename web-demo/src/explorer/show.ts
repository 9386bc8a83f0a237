/** A token's text with its spaces and line ends to be seen, in quotation marks. */
export function quoted(label: string): string {
  return `‘${visible(label)}’`;
}

/** A token's text with its spaces and line ends to be seen. */
export function visible(label: string): string {
  return label.replaceAll(' ', '\u00b7').replaceAll('\n', '\u21b5').replaceAll('\t', '\u21e5');
}

export function percent(share: number): string {
  if (share > 0 && share < 0.0005) return '< 0.1 %';
  return `${(share * 100).toFixed(1)} %`;
}

/** Of [0, 1), to be read; the sampler compares all digits. */
export const decimal = (value: number): string => value.toFixed(5);
