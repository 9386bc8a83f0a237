/** Where a text was found, with a little of what stands around it. */
export interface Excerpt {
  readonly before: string;
  readonly found: string;
  readonly after: string;
}

const around = 32;

/** What is searched for, and in: capitals, curly quotes and line ends make no difference, and no character changes its place. */
export function searchable(text: string): string {
  return text
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/\s/g, ' ')
    .replace(/\p{Lu}/gu, (capital) => {
      const small = capital.toLowerCase();
      return small.length === capital.length ? small : capital;
    });
}

/** The first place of what is searched for, or null. */
export function findText(text: string, wanted: string): Excerpt | null {
  const query = searchable(wanted.trim());
  if (query === '') return null;
  const at = searchable(text).indexOf(query);
  if (at < 0) return null;
  const end = at + query.length;
  const before = text.slice(Math.max(0, at - around), at).replace(/\s+/g, ' ');
  const after = text.slice(end, end + around).replace(/\s+/g, ' ');
  return {
    before: at > around ? `…${before.replace(/^\S* /, '')}` : before,
    found: text.slice(at, end).replace(/\s+/g, ' '),
    after: end + around < text.length ? `${after.replace(/ \S*$/, '')}…` : after,
  };
}
