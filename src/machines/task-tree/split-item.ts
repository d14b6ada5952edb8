import type { TaskMetadata } from '#protocol/task-tree.ts';
import type { ItemFault } from './item-fault.ts';
import { readMetadata } from './read-metadata.ts';
import { withoutEnd } from './without-end.ts';

/** An item's text behind its marker, taken apart. */
export interface Item {
  readonly name: string;
  readonly reference: string | null;
  readonly metadata: TaskMetadata;
  /** A comment that is no metadata, and is not kept. */
  readonly dropsComment: boolean;
}

/** Where something stands outside of code spans. */
interface Marks {
  readonly comments: readonly { readonly from: number; readonly to: number }[];
  /** Of the last ` @ `; -1: there is none. */
  readonly at: number;
}

const MARK = /[\\`<]| @ /g;

/** Where something may begin that is more than text. */
function nextMark(text: string, from: number): number {
  MARK.lastIndex = from;
  return MARK.exec(text)?.index ?? text.length;
}

const SIGN = /[!-/:-@[-`{-~]/;

/** Where the code span that opens here ends; -1 when nothing closes it. */
function endOfSpan(text: string, from: number, length: number): number {
  for (let at = text.indexOf('`', from + length); at !== -1;) {
    let end = at;
    while (text[end] === '`') end += 1;
    if (end - at === length) return end;
    at = text.indexOf('`', end);
  }
  return -1;
}

/** Code spans win over what is in them, as in Markdown: what opens first, counts. */
function scan(text: string): Marks {
  const comments: { from: number; to: number }[] = [];
  let last = -1;
  // A run that nothing closes is not looked for again: a line of backticks costs no more than its length.
  const unclosed = new Set<number>();
  let isOpen = false;
  for (let at = nextMark(text, 0); at < text.length; at = nextMark(text, at)) {
    const sign = text[at];
    if (sign === '\\' && SIGN.test(text[at + 1] ?? '')) at += 2;
    else if (sign === '`') {
      let end = at;
      while (text[end] === '`') end += 1;
      const length = end - at;
      const close = unclosed.has(length) ? -1 : endOfSpan(text, at, length);
      if (close === -1) unclosed.add(length);
      at = close === -1 ? end : close;
    } else if (!isOpen && text.startsWith('<!--', at)) {
      const close = text.indexOf('-->', at + 4);
      if (close === -1) {
        isOpen = true;
        at += 4;
      } else {
        comments.push({ from: at, to: close + 3 });
        at = close + 3;
      }
    } else {
      if (text.startsWith(' @ ', at)) last = at;
      at += 1;
    }
  }
  return { comments, at: last };
}

const trimmedEnd = (text: string): string => withoutEnd(text, ' ');

/** The comments that nothing but blanks follows, the last one last. */
function trailing(text: string, { comments }: Marks): readonly string[] {
  const found: string[] = [];
  let end = trimmedEnd(text).length;
  for (const { from, to } of comments.toReversed()) {
    if (to !== end) break;
    found.push(text.slice(from, to));
    end = trimmedEnd(text.slice(0, from)).length;
  }
  return found.reverse();
}

const NO_METADATA: TaskMetadata = new Map();

/** A word that could be nothing but a path, or is in quotes and ends like one. */
function referenceOf(text: string): string | null {
  const quoted = /^"([^"]+)"$/.exec(text)?.[1];
  if (quoted !== undefined) return /[\\/]|\.md$/i.test(quoted) ? quoted : null;
  return /^[^\s"]+$/.test(text) && /[\\/]|\.md$/i.test(text) ? text : null;
}

/** Name, reference and metadata of an item (spec/tasks.md "Grammar"). */
export function splitItem(written: string): Item | ItemFault {
  const text = trimmedEnd(written.replace(/^ +/, ''));
  const marks = scan(text);
  const comments = trailing(text, marks);
  const read = comments.map(readMetadata);
  const fault = read.find((one) => one !== null && 'code' in one);
  if (fault !== null && fault !== undefined && 'code' in fault) return fault;
  const all = read.filter((one): one is TaskMetadata => one !== null && !('code' in one));
  const metadata = read.at(-1) === null ? undefined : all[0];
  if (all.length > (metadata === undefined ? 0 : 1))
    return {
      code: 'tasks_bad_metadata',
      message: 'the metadata is not the only comment at the end of the item: write one comment',
    };
  const first = marks.comments[marks.comments.length - comments.length]?.from ?? text.length;
  const rest = trimmedEnd(text.slice(0, comments.length === 0 ? text.length : first));
  const at = marks.at < rest.length ? marks.at : -1;
  const reference = at === -1 ? null : referenceOf(rest.slice(at + 3).trim());
  const name = reference === null ? rest : trimmedEnd(rest.slice(0, at));
  if (name === '') return { code: 'tasks_missing_name', message: 'the task has no name: write one behind its marker' };
  return {
    name,
    reference,
    metadata: metadata ?? NO_METADATA,
    dropsComment: comments.length > (metadata === undefined ? 0 : 1),
  };
}
