/** Runs of characters between white space; a dash that stands alone is none. */
export function countWords(text: string): number {
  let count = 0;
  for (const [run] of text.matchAll(/\S+/g)) if (/[\p{L}\p{N}]/u.test(run)) count += 1;
  return count;
}
