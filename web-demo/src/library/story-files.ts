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

/** A name that every file system takes. */
export function fileName(title: string, kind: string): string {
  const name = title
    .replace(/[\p{Cc}<>:"/\\|?*]/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
    .slice(0, 80);
  return `${name === '' ? 'story' : name}.${kind}`;
}
