/** A file that an answer brings. */
export interface CodeFile {
  readonly path: string;
  readonly content: string;
}

/** `name.ext`, folders before it or not. A version (`python3.11`) ends in a digit's part, an attribute (`{.ts}`, `a=b.c`) is none. */
const PATH = /^[^={}<>"'|]*\.[A-Za-z][\w-]*$/;

/** A language with a dot in its name. */
const DOT_NET = /^(?:asp|vb)\.net$/i;

/**
 * Info string → path: `path=src/a.ts`, `ts src/a.ts`, `src/a.ts`, `ts:src/a.ts`, `ts title="src/a.ts"`.
 * Names without an extension (`Makefile`) need the `path=`: a bare word is a language.
 */
function pathIn(info: string): string | null {
  const named = /(?:path|file|filename|title)=(?:"([^"]+)"|'([^']+)'|(\S+))/.exec(info);
  if (named !== null) return named[1] ?? named[2] ?? named[3] ?? null;
  return info.split(/[\s:]+/).find((word) => PATH.test(word) && !DOT_NET.test(word)) ?? null;
}

/** No character can belong to two parts of it: a long line would be tried in every way. */
const OPEN = /^[ \t]*(`{3,}(?!`)|~{3,}(?!~))([^\n`]*)$/;

interface Fence {
  readonly mark: string;
  readonly info: string;
  readonly lines: string[];
}

const closes = (line: string, { mark }: Fence): boolean => {
  const bare = line.trim();
  return bare.length >= mark.length && bare === mark.charAt(0).repeat(bare.length);
};

/** Fenced blocks of an answer, in order; an unclosed one is left out. */
export function fences(text: string): readonly Fence[] {
  const found: Fence[] = [];
  let open: Fence | null = null;
  for (const line of text.split('\n')) {
    const plain = line.endsWith('\r') ? line.slice(0, -1) : line;
    if (open !== null) {
      if (closes(plain, open)) {
        found.push(open);
        open = null;
      } else open.lines.push(plain);
      continue;
    }
    const match = OPEN.exec(plain);
    if (match !== null) open = { mark: match[1] ?? '```', info: (match[2] ?? '').trim(), lines: [] };
  }
  return found;
}

/** The files in an answer: fenced blocks whose info string names a path; one block without a path takes `fallbackPath`. */
export function codeFiles(text: string, fallbackPath: string | null): readonly CodeFile[] {
  const blocks = fences(text).map(({ info, lines }) => ({ path: pathIn(info), content: `${lines.join('\n')}\n` }));
  const named = blocks.filter((block): block is CodeFile => block.path !== null);
  if (named.length > 0) return named;
  const [only] = blocks;
  return only !== undefined && blocks.length === 1 && fallbackPath !== null
    ? [{ path: fallbackPath, content: only.content }]
    : [];
}
