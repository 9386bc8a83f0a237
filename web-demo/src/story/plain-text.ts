const blocks =
  'address, article, aside, blockquote, dd, div, dl, dt, figcaption, figure, footer, h1, h2, h3, h4, h5, h6, header, hr, ' +
  'li, main, nav, ol, p, pre, section, table, td, th, tr, ul';
const unread = 'noscript, script, style, template, title';

/** What is pasted or dropped, as plain text; '' where there is none in it. */
export function plainText(transfer: DataTransfer | null): string {
  const text = transfer?.getData('text/plain') ?? '';
  return text === '' ? textOfHtml(transfer?.getData('text/html') ?? '') : text;
}

/** A paragraph for each block. The document is never on the page: nothing in it runs, and nothing is fetched for it. */
function textOfHtml(html: string): string {
  return textOf(new DOMParser().parseFromString(withoutStyles(html), 'text/html').body)
    .replace(/ *\n */g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** The page's policy forbids them, and would complain although they never come to anything. */
function withoutStyles(html: string): string {
  return html
    .replace(/<style\b[^>]*>[^]*?<\/style\s*>/gi, '')
    .replace(/<[a-z][^>]*>/gi, (tag) => tag.replace(/\sstyle\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)/gi, ''));
}

function textOf(node: Node): string {
  if (node instanceof Text) {
    return node.parentElement?.closest('pre') ? node.data : node.data.replace(/[ \t\r\n\f]+/g, ' ');
  }
  if (!(node instanceof Element) || node.matches(unread)) return '';
  if (node.matches('br')) return '\n';
  const inside = Array.from(node.childNodes, textOf).join('');
  return node.matches(blocks) ? `\n\n${inside}\n\n` : inside;
}
