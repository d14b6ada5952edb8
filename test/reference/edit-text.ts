import type { Operation } from '#workers/loom/operation.ts';

/**
 * A naive implementation of text edits, for texts with LF line endings. It was written from the specification of the
 * Loom. Functions return null if an edit is refused.
 */

type Found = readonly (readonly [from: number, to: number])[];

function exactly(text: string, anchor: string): Found {
  const found: [number, number][] = [];
  for (let at = 0; at < text.length; at += 1)
    if (text.slice(at).startsWith(anchor)) found.push([at, at + anchor.length]);
  return found;
}

const quoted = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

function loosely(text: string, anchor: string): Found {
  const words = anchor.split(/\s+/).filter((word) => word !== '');
  const pattern = new RegExp(words.map(quoted).join('\\s+'), 'y');
  const found: [number, number][] = [];
  for (let at = 0; at < text.length; at += 1) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) found.push([at, at + match[0].length]);
  }
  return found;
}

function find(text: string, anchor: string): Found {
  const found = exactly(text, anchor);
  return found.length > 0 ? found : loosely(text, anchor);
}

const chomp = (text: string): string => text.replace(/\n$/, '');
const ended = (text: string): string => (text === '' ? '' : `${chomp(text)}\n`);
const begun = (text: string): string => (text.startsWith('\n') ? text : `\n${chomp(text)}`);

function insert(text: string, { anchor, content, position }: Operation & { op: 'insert' }): string | null {
  const found = find(text, anchor);
  if (found.length !== 1) return null;
  const [from, to] = found[0]!;
  if (position === 'after') {
    const [head, tail] = [text.slice(0, to), text.slice(to)];
    if (head.endsWith('\n')) return head + ended(content) + tail;
    const blanks = /^[ \t]*(?=\n)|^[ \t]*$/.exec(tail);
    return blanks === null ? head + content + tail : head + blanks[0] + begun(content) + tail.slice(blanks[0].length);
  }
  const [head, tail] = [text.slice(0, from), text.slice(from)];
  if (tail.startsWith('\n')) return head + begun(content) + tail;
  const blanks = /(?<=\n)[ \t]*$|^[ \t]*$/.exec(head);
  return blanks === null
    ? head + content + tail
    : head.slice(0, head.length - blanks[0].length) + ended(content) + blanks[0] + tail;
}

function replaceBlock(text: string, { start, end, content }: Operation & { op: 'replaceBlock' }): string | null {
  const starts = find(text, start);
  if (starts.length !== 1) return null;
  const after = starts[0]![1];
  const ends = find(text, end).filter(([from]) => from >= after);
  if (ends.length !== 1) return null;
  let [head, between, tail] = [text.slice(0, after), text.slice(after, ends[0]![0]), text.slice(ends[0]![0])];
  if (!head.endsWith('\n')) {
    const rest = /^[ \t]*\n/.exec(between);
    if (rest !== null) [head, between] = [head + rest[0], between.slice(rest[0].length)];
  }
  const lead = /(?<=\n)[ \t]*$/.exec(head + between);
  if (lead !== null && lead[0].length <= between.length) {
    tail = lead[0] + tail;
    return head + ended(content) + tail;
  }
  return head + content + tail;
}

function append(text: string, { content }: Operation & { op: 'append' }): string {
  if (text === '') return content;
  if (text.endsWith('\n')) return text + ended(content);
  const own = chomp(content);
  return own.startsWith('\n') ? text + own : `${text}\n${own}`;
}

function replaceLine(text: string, { line, content, expected }: Operation & { op: 'replaceLine' }): string | null {
  const lines = text.split('\n');
  const count = text === '' ? 0 : text.endsWith('\n') ? lines.length - 1 : lines.length;
  if (line > count) return null;
  const plain = (one: string): string => one.split(/\s+/).join(' ').trim();
  if (expected !== null && plain(expected) !== plain(lines[line - 1]!)) return null;
  return lines.with(line - 1, chomp(content)).join('\n');
}

export function editText(text: string, operation: Operation): string | null {
  switch (operation.op) {
    case 'insert':
      return insert(text, operation);
    case 'replaceBlock':
      return replaceBlock(text, operation);
    case 'append':
      return append(text, operation);
    case 'replaceLine':
      return replaceLine(text, operation);
  }
}
