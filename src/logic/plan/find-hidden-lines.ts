/** The kind of a line. `blank`, `code` and `comment` lines are never tasks. */
type LineKind = 'open' | 'blank' | 'code' | 'comment';

interface HiddenLines {
  readonly kinds: readonly LineKind[];
  /** The line where an unclosed code block or comment begins. */
  readonly unclosed: { readonly what: 'code block' | 'comment'; readonly line: number } | null;
}

const FENCE = /^ *(`{3,}|~{3,})/;

/**
 * Returns the fence that opens a code block in this line, or null. After a fence of backticks, the line must not
 * contain another backtick.
 */
function openingIn(line: string): string | null {
  const [whole = '', fence = null] = FENCE.exec(line) ?? [];
  return fence?.startsWith('`') === true && line.includes('`', whole.length) ? null : fence;
}

const isClosing = (line: string, fence: string): boolean => {
  const text = line.trim();
  return text.length >= fence.length && text === (fence[0] ?? '').repeat(text.length);
};

/** Finds fenced code blocks, and comments on lines of their own. */
export function findHiddenLines(lines: readonly string[]): HiddenLines {
  const kinds: LineKind[] = [];
  let fence: string | null = null;
  let isComment = false;
  let since = 0;
  for (const [index, line] of lines.entries()) {
    if (fence !== null) {
      kinds.push('code');
      if (isClosing(line, fence)) fence = null;
      continue;
    }
    const opening = openingIn(line);
    if (!isComment && opening !== null) {
      kinds.push('code');
      fence = opening;
      since = index + 1;
      continue;
    }
    const begins = !isComment && line.trimStart().startsWith('<!--');
    if (begins) since = index + 1;
    if (begins || isComment) {
      kinds.push('comment');
      isComment = !line.includes('-->');
      continue;
    }
    kinds.push(line.trim() === '' ? 'blank' : 'open');
  }
  const what = fence !== null ? 'code block' : isComment ? 'comment' : null;
  return { kinds, unclosed: what === null ? null : { what, line: since } };
}
