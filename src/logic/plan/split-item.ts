import type { TaskMetadata } from '#protocol/task-tree.ts';
import { type ItemFault, readMetadata, unclosedMetadata } from './read-metadata.ts';

/**
 * Removes the given character from the end of a text. A regular expression such as / +$/ would take quadratic time.
 */
export function withoutEnd(text: string, sign: string): string {
  let end = text.length;
  while (text[end - 1] === sign) end -= 1;
  return text.slice(0, end);
}

/** The parts of an item's text after its marker. */
interface Item {
  readonly name: string;
  readonly reference: string | null;
  readonly metadata: TaskMetadata;
  /** True if a comment that is not metadata will be lost. */
  readonly dropsComment: boolean;
}

/** Positions outside of code spans. */
interface Marks {
  readonly comments: readonly { readonly from: number; readonly to: number }[];
  /** The position of the last ` @ `, or -1. */
  readonly at: number;
  /** The position of the first comment that does not end in the text, or -1. */
  readonly open: number;
}

const MARK = /[\\`<]| @ /g;

/** Returns the next position where a code span, comment or reference may begin. */
function nextMark(text: string, from: number): number {
  MARK.lastIndex = from;
  return MARK.exec(text)?.index ?? text.length;
}

const SIGN = /[!-/:-@[-`{-~]/;

/** Returns the end of the code span that opens here, or -1 if nothing closes it. */
function endOfSpan(text: string, from: number, length: number): number {
  for (let at = text.indexOf('`', from + length); at !== -1;) {
    let end = at;
    while (text[end] === '`') end += 1;
    if (end - at === length) return end;
    at = text.indexOf('`', end);
  }
  return -1;
}

/**
 * Finds the comments of an item and its last ` @ `, as a Markdown parser would: of a code span and a comment, the one
 * that opens first wins, and marks inside code spans are ignored.
 */
function scan(text: string): Marks {
  const comments: { from: number; to: number }[] = [];
  let last = -1;
  // Lengths of backtick runs that nothing closes, so that a line of backticks costs linear time.
  const unclosed = new Set<number>();
  let open = -1;
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
    } else if (open === -1 && text.startsWith('<!--', at)) {
      const close = text.indexOf('-->', at + 4);
      if (close === -1) {
        open = at;
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
  return { comments, at: last, open };
}

const trimmedEnd = (text: string): string => withoutEnd(text, ' ');

/** Returns the comments at the end of the text, in written order. */
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

/** Returns the reference: a word that can only be a path, or a quoted one that ends like a path. */
function referenceOf(text: string): string | null {
  const quoted = /^"([^"]+)"$/.exec(text)?.[1];
  if (quoted !== undefined) return /[\\/]|\.md$/i.test(quoted) ? quoted : null;
  return /^[^\s"]+$/.test(text) && /[\\/]|\.md$/i.test(text) ? text : null;
}

/** Splits an item into name, reference and metadata. */
export function splitItem(written: string): Item | ItemFault {
  const text = trimmedEnd(written.replace(/^ +/, ''));
  const marks = scan(text);
  const comments = trailing(text, marks);
  const read = comments.map(readMetadata);
  const unclosed = marks.open === -1 ? null : unclosedMetadata(text.slice(marks.open));
  const fault = [unclosed, ...read].find((one) => one !== null && 'code' in one);
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
  if (name === '') return { code: 'tasks_missing_name', message: 'the task has no name: write one after its marker' };
  return {
    name,
    reference,
    metadata: metadata ?? NO_METADATA,
    dropsComment: comments.length > (metadata === undefined ? 0 : 1),
  };
}
