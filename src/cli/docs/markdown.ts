/** A part of a line: plain text, or an element with its own style, such as code or a link. */
export type Inline =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'strong'; readonly content: readonly Inline[] }
  | { readonly kind: 'link'; readonly content: readonly Inline[]; readonly href: string }
  | { readonly kind: 'image'; readonly text: string; readonly href: string };

export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly { readonly marker: string; readonly text: string }[] }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'code'; readonly language: string; readonly text: string };

const INLINE = /(`+)(.+?)\1|!\[([^\]]*)\]\(([^)\s]+)\)|\[((?:[^\]`]|`[^`]*`)+)\]\(([^)\s]+)\)|\*\*(.+?)\*\*/g;

/** Splits the text of a paragraph into its parts. Emphasis with single asterisks is not interpreted. */
export function inlinesOf(text: string): readonly Inline[] {
  const found: Inline[] = [];
  let from = 0;
  const plain = (until: number): void => {
    const between = text.slice(from, until).replaceAll(/\\([|*_`<])/g, '$1');
    if (between !== '') found.push({ kind: 'text', text: between });
  };
  for (const match of text.matchAll(INLINE)) {
    const [whole, , code, alt, image, label, href, strong] = match;
    plain(match.index);
    from = match.index + whole.length;
    if (code !== undefined) found.push({ kind: 'code', text: code.replaceAll('\\|', '|') });
    else if (image !== undefined) found.push({ kind: 'image', text: alt ?? '', href: image });
    else if (href !== undefined) found.push({ kind: 'link', content: inlinesOf(label ?? ''), href });
    else found.push({ kind: 'strong', content: inlinesOf(strong ?? '') });
  }
  plain(text.length);
  return found;
}

const FENCE = /^(`{3,}|~{3,})\s*([\w-]*)/;
const HEADING = /^(#{1,6}) +(.+)$/;
const ITEM = /^(\s*)([-*]|\d+[.)]) +(.*)$/;
const RULE_OF_TABLE = /^\|?\s*:?-{3,}/;

const cellsOf = (line: string): readonly string[] =>
  line
    .trim()
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

/** A block, and the index of the line after it. */
type Read = readonly [Block, number];

function readCode(lines: readonly string[], at: number, fence: string, language: string): Read {
  const end = lines.findIndex((line, index) => index > at && line.trimEnd() === fence);
  const until = end === -1 ? lines.length : end;
  return [{ kind: 'code', language, text: lines.slice(at + 1, until).join('\n') }, until + 1];
}

function readTable(lines: readonly string[], at: number): Read {
  const found = lines.findIndex((line, index) => index > at && !line.startsWith('|'));
  const until = found === -1 ? lines.length : found;
  const rows = lines.slice(at + 2, until).map(cellsOf);
  return [{ kind: 'table', head: cellsOf(lines[at] ?? ''), rows }, until];
}

const isBlank = (line: string | undefined): boolean => (line ?? '').trim() === '';

function readList(lines: readonly string[], from: number): Read {
  const items: { marker: string; text: string }[] = [];
  let at = from;
  for (; at < lines.length && !isBlank(lines[at]); at += 1) {
    const [, , marker = '', text = ''] = ITEM.exec(lines[at] ?? '') ?? [];
    const last = items.at(-1);
    if (marker !== '') items.push({ marker: /\d/.test(marker) ? marker : '-', text });
    else if (last !== undefined) last.text += ` ${(lines[at] ?? '').trim()}`;
  }
  return [{ kind: 'list', items }, at];
}

const begins = (line: string): boolean =>
  FENCE.test(line) || HEADING.test(line) || ITEM.test(line) || line.startsWith('|');

function readParagraph(lines: readonly string[], from: number): Read {
  let at = from + 1;
  while (at < lines.length && !isBlank(lines[at]) && !begins(lines[at] ?? '')) at += 1;
  return [{ kind: 'paragraph', text: lines.slice(from, at).join(' ') }, at];
}

function readBlock(lines: readonly string[], at: number): Read {
  const line = lines[at] ?? '';
  const [, fence, language = ''] = FENCE.exec(line) ?? [];
  if (fence !== undefined) return readCode(lines, at, fence, language);
  const [, hashes, text = ''] = HEADING.exec(line) ?? [];
  if (hashes !== undefined) return [{ kind: 'heading', level: hashes.length, text }, at + 1];
  if (line.startsWith('|') && RULE_OF_TABLE.test(lines[at + 1] ?? '')) return readTable(lines, at);
  return ITEM.test(line) ? readList(lines, at) : readParagraph(lines, at);
}

/** Reads the Markdown that the documents use: headings, paragraphs, flat lists, tables and fenced code. */
export function blocksOf(page: string): readonly Block[] {
  const lines = page.replaceAll(/^<!--.*-->$/gm, '').split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length;) {
    if (isBlank(lines[at])) {
      at += 1;
      continue;
    }
    const [block, next] = readBlock(lines, at);
    blocks.push(block);
    at = next;
  }
  return blocks;
}
