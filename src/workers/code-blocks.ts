/** A file that an answer brings. */
export interface CodeFile {
  readonly path: string;
  readonly content: string;
}

/** Info string → path: `path=src/a.ts`, `ts src/a.ts`, `src/a.ts`, `ts:src/a.ts`, `ts title="src/a.ts"`. */
function pathIn(info: string): string | null {
  const named = /(?:path|file|filename|title)=(?:"([^"]+)"|'([^']+)'|(\S+))/.exec(info);
  if (named !== null) return named[1] ?? named[2] ?? named[3] ?? null;
  const word = info.split(/[\s:]+/).find((part) => /[./\\]/.test(part) && /\.[A-Za-z0-9]+$/.test(part));
  return word ?? null;
}

const OPEN = /^([ \t]*)(`{3,}|~{3,})[ \t]*([^\n`]*)$/;

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
function fences(text: string): readonly Fence[] {
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
    if (match !== null) open = { mark: match[2] ?? '```', info: (match[3] ?? '').trim(), lines: [] };
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
