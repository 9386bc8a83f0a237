/**
 * @internal Where half of a surrogate pair stands alone, which UTF-8 cannot tell; -1 when nowhere. Not /\p{Surrogate}/u: the
 * WebKit of 2022 (2.38) looks for it inside of pairs, too.
 */
export const loneSurrogate = (text: string): number =>
  text.replace(/[\ud800-\udbff][\udc00-\udfff]/g, '  ').search(/[\ud800-\udfff]/);
