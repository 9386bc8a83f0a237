/** A story as a writer takes it elsewhere, and back. */
export interface StoryText {
  readonly title: string;
  readonly text: string;
}

export type FileKind = 'md' | 'txt';

/** In Markdown the title is the first heading; what would be read as Markdown in the text itself is left as it is. */
export function toFileText({ title, text }: StoryText, kind: FileKind): string {
  const body = text.endsWith('\n') || text === '' ? text : `${text}\n`;
  if (title === '') return body;
  return kind === 'md' ? `# ${title}\n\n${body}` : `${title}\n\n${body}`;
}

/** The title of a Markdown file is its first heading where it begins with one; else a file's name is its story's title. */
export function fromFileText(fileName: string, content: string): StoryText {
  const text = content
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .replace(/\n$/, '');
  const name = fileName.replace(/\.[^.]*$/, '');
  if (!/\.(md|markdown)$/i.test(fileName)) return { title: name, text };
  const heading = /^\s*# +(.+?)(?: +#+)?(?:\n+|$)/.exec(text);
  return heading?.[1] === undefined
    ? { title: name, text }
    : { title: heading[1], text: text.slice(heading[0].length) };
}

const byteOrderMarks: readonly (readonly [encoding: string, mark: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** Null where the file is no text. */
export async function readText(file: Blob): Promise<string | null> {
  return decodeText(new Uint8Array(await file.arrayBuffer()));
}

/** Null where the bytes are no text. Those without a mark are UTF-8, or else what older programs on Windows wrote. */
export function decodeText(bytes: Uint8Array): string | null {
  const [marked] = byteOrderMarks.find(([, mark]) => mark.every((byte, i) => byte === bytes[i])) ?? [];
  const text = marked === undefined ? (decode(bytes, 'utf-8') ?? decode(bytes, 'windows-1252')) : decode(bytes, marked);
  // Almost any bytes are a text in one of these; but none that was written has a NUL, and most other files have some.
  return text?.includes('\0') ? null : text;
}

/** Null instead of a text in which characters are replaced. */
function decode(bytes: Uint8Array, encoding: string): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** A name that every file system takes. */
export function fileName(title: string, kind: string): string {
  const name = title
    .replace(/[\p{Cc}<>:"/\\|?*]/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
    .slice(0, 80);
  return `${name === '' ? 'story' : name}.${kind}`;
}
