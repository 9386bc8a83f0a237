import { Fragment, Schema, Slice, type Node } from 'prosemirror-model';

/**
 * A story is plain text whose paragraphs are separated by a blank line. In the editor each paragraph is
 * a node; the two line feeds between paragraphs correspond to the node's end and the next one's start,
 * so that a character's offset in the text is always its position in the document less one.
 */
const paragraphBreak = '\n\n';

export const schema = new Schema({
  nodes: {
    doc: { content: 'paragraph+' },
    paragraph: {
      content: 'text*',
      whitespace: 'pre',
      parseDOM: [{ tag: 'p' }],
      toDOM: () => ['p', 0],
    },
    text: {},
  },
  marks: {
    /** On the machine's words; names the take that they are of. */
    passage: {
      attrs: { take: { validate: 'string' } },
      inclusive: false,
      parseDOM: [{ tag: 'mark[data-take]', getAttrs: (mark) => ({ take: mark.dataset.take }) }],
      toDOM: ({ attrs }) => ['mark', { class: 'passage', 'data-take': String(attrs.take) }, 0],
    },
  },
});

/** Where the words of a take stand, as offsets in the text. */
export interface Place {
  readonly from: number;
  readonly to: number;
}

/** The words of a take, in the story. */
export interface MarkedPlace extends Place {
  readonly take: string;
}

export function toDocument(text: string, marked: readonly MarkedPlace[] = []): Node {
  let document = schema.node('doc', null, paragraphs(text));
  for (const { from, to, take } of marked) {
    const ends = [positionOf(from), positionOf(to)] as const;
    // No words begin or end between two paragraphs, whatever a damaged file says.
    if (ends.some((end) => document.resolve(end).depth === 0)) continue;
    document = document.replace(...ends, toSlice(text.slice(from, to), take));
  }
  return document;
}

export function toText(document: Node): string {
  return document.textBetween(0, document.content.size, paragraphBreak);
}

/**
 * Text from anywhere, to be put inside a paragraph, which it may split.
 * @param take whose words they are, if a machine's
 * @param after goes on with the last paragraph and is the writer's own
 */
export function toSlice(text: string, take?: string, after = ''): Slice {
  const parts = paragraphs(text.replace(/\r\n?/g, '\n'), take);
  const last = parts.pop() ?? schema.node('paragraph');
  const whole = after === '' ? last : last.copy(last.content.addToEnd(schema.text(after)));
  return new Slice(Fragment.from([...parts, whole]), 1, 1);
}

export function positionOf(offset: number): number {
  return offset + 1;
}

export function offsetOf(position: number): number {
  return position - 1;
}

/** Each take's words, from the first to the last of them, in the order of the text. */
export function markedPlaces(document: Node): MarkedPlace[] {
  const places = new Map<string, MarkedPlace>();
  document.descendants((node, position) => {
    if (!node.isText) return;
    const take = takeOf(node);
    if (take === null) return;
    const to = offsetOf(position + node.nodeSize);
    places.set(take, { take, from: places.get(take)?.from ?? offsetOf(position), to });
  });
  return [...places.values()];
}

/** The take whose words stand at a position: before it, else after it. */
export function takeAt(document: Node, position: number): string | null {
  const place = document.resolve(position);
  return (place.nodeBefore && takeOf(place.nodeBefore)) ?? (place.nodeAfter && takeOf(place.nodeAfter)) ?? null;
}

/** For a position in an empty paragraph, which bears no mark: the take whose words end before the line feeds that lead there. */
export function takeBefore(document: Node, position: number): string | null {
  const place = document.resolve(position);
  if (place.parent.childCount > 0) return null;
  for (let index = place.index(0) - 1; index >= 0; index -= 1) {
    const { lastChild } = document.child(index);
    if (lastChild) return takeOf(lastChild);
  }
  return null;
}

function takeOf(node: Node): string | null {
  const mark = node.marks.find(({ type }) => type === schema.marks.passage);
  return mark ? (mark.attrs.take as string) : null;
}

function paragraphs(text: string, take?: string): Node[] {
  const marks = take === undefined ? [] : [schema.mark('passage', { take })];
  return text
    .split(paragraphBreak)
    .map((line) => schema.node('paragraph', null, line === '' ? [] : schema.text(line, marks)));
}
