import { Fragment, Schema, Slice, type Node } from 'prosemirror-model';

/**
 * A story is plain text whose paragraphs are separated by a blank line. In the editor each paragraph is
 * a node; the two line feeds between paragraphs correspond to the node's end and the next one's start,
 * so that a character's offset in the text is always its position in the document less one.
 */
const paragraphBreak = '\n\n';

const schema = new Schema({
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
});

export function toDocument(text: string): Node {
  return schema.node('doc', null, paragraphs(text));
}

export function toText(document: Node): string {
  return document.textBetween(0, document.content.size, paragraphBreak);
}

/** Text from anywhere, to be put inside a paragraph, which it may split. */
export function toSlice(text: string): Slice {
  return new Slice(Fragment.from(paragraphs(text.replace(/\r\n?/g, '\n'))), 1, 1);
}

export function positionOf(offset: number): number {
  return offset + 1;
}

function paragraphs(text: string): Node[] {
  return text.split(paragraphBreak).map((line) => schema.node('paragraph', null, line === '' ? [] : schema.text(line)));
}
