import { fileText, trimmed } from './answer-lines.ts';
import { fenceLines } from './fence-line.ts';
import { type FoundFile, problem, type Reading, refusing, type WriteProblem } from './found.ts';
import { readInfo } from './info-string.ts';
import { filesInJson } from './json-files.ts';
import { type Context, contextOf, type NoFile } from './block-context.ts';
import { hasNoComments, isProseFile, isShellLike, mayBe } from './languages.ts';
import { namedBy, namedInside } from './path-before.ts';
import { editProblem, looksLikeDiff, opensSearch, readDiff, readPatch, readSearch } from './read-diff.ts';
import type { Block } from './scan-blocks.ts';

/** A block without a file name. It may be the content of the only requested file. */
export interface Unnamed {
  readonly language: string;
  readonly lines: readonly string[];
  /** A file that the sentence before the block mentions, or null. */
  readonly mentions: string | null;
  /** Why the block is clearly not a file, or null if that is unclear. */
  readonly why: NoFile | null;
}

export type BlockReading = { readonly reading: Reading; readonly isDiff: boolean } | { readonly unnamed: Unnamed };

const files = (...found: readonly FoundFile[]): BlockReading => ({
  reading: { ok: true, files: found },
  isDiff: false,
});
const refused = (...problems: readonly WriteProblem[]): BlockReading => ({
  reading: refusing(...problems),
  isDiff: false,
});
const diffed = (reading: Reading): BlockReading => ({ reading, isDiff: true });

const DIFFS: ReadonlySet<string> = new Set(['diff', 'patch', 'udiff']);
const DIFF_FILE = /\.(?:diff|patch)$/i;

const excerpt = (path: string): WriteProblem =>
  problem(
    'excerpt',
    path,
    'the answer contains only a part of it. Write the whole file, or use Internal:Loom for edits',
  );

export const firstLine = (lines: readonly string[]): string => lines.find((line) => line.trim() !== '') ?? '';

type NamedContent = { readonly path: string; readonly isPart: boolean; readonly lines: readonly string[] };

interface Naming {
  readonly named: NamedContent | null;
  readonly context: Context;
  /** A contradiction between two names, or between a name and a language, or null. */
  readonly conflict: WriteProblem | null;
}

const mismatch = (language: string, path: string): WriteProblem =>
  problem(
    'ambiguous',
    path,
    `the block below its name is marked as ${language}, which is not the language of this file. Mark it with the language of the file, or put its own path into the fence, like \`\`\`${language} path=…`,
  );

const inside = (info: ReturnType<typeof readInfo>, lines: readonly string[]): NamedContent | null => {
  const found = namedInside(lines);
  if (found === null || !mayBe(info.language, found.path)) return null;
  const kept = hasNoComments(found.path) ? lines.toSpliced(found.line, 1) : lines;
  return { path: found.path, isPart: info.isPart, lines: kept };
};

/**
 * Determines the name of a block's file. Sources in the order of precedence: the info string, the text above, the first
 * comment.
 */
function nameOf(info: ReturnType<typeof readInfo>, above: readonly string[], lines: readonly string[]): Naming {
  const context = contextOf(above);
  const none = { context, named: null, conflict: null };
  if (info.path !== null)
    return mayBe(info.language, info.path) || !isShellLike(info.language)
      ? { ...none, named: { path: info.path, isPart: info.isPart, lines } }
      : { ...none, conflict: mismatch(info.language, info.path) };
  const own = inside(info, lines);
  if (context.kind !== 'named') return { ...none, named: context.kind === 'no_file' ? null : own };
  const { naming, isNear } = context;
  if (mayBe(info.language, naming.path)) {
    if (own !== null && own.path !== naming.path && !isNear) return { ...none, named: own };
    const isOwn = own !== null && own.path !== naming.path && naming.by === 'prose';
    return { ...none, named: isOwn ? own : { path: naming.path, isPart: naming.isPart, lines } };
  }
  if (own !== null) return { ...none, named: own };
  return isShellLike(info.language) ? none : { ...none, conflict: mismatch(info.language, naming.path) };
}

/**
 * Reads a SEARCH/REPLACE edit in a fence. Its path may be in the info string, on the line above the edit inside the
 * fence, or before the fence.
 */
function readSearchFence(before: string, lines: readonly string[], info: ReturnType<typeof readInfo>): BlockReading {
  const first = firstLine(lines);
  const path =
    info.path ?? (opensSearch(first) ? null : (namedBy(first)?.path ?? first.trim())) ?? namedBy(before)?.path;
  return { reading: readSearch(lines, path ?? null), isDiff: false };
}

/**
 * Returns true if the first or second non-blank line opens a SEARCH/REPLACE edit; the path may be on the first line.
 */
function startsWithSearch(lines: readonly string[]): boolean {
  const first = lines.findIndex((line) => line.trim() !== '');
  const second = lines.findIndex((line, at) => at > first && line.trim() !== '');
  return [first, second].some((at) => opensSearch(lines[at] ?? ''));
}

/** Returns true for the output of a directory tree, or of a terminal session. */
const isShown = (lines: readonly string[]): boolean =>
  lines.some((line) => /[├└]──/u.test(line)) || /^(?:[$>%] |PS [A-Z]:\\)/.test(firstLine(lines).trim());

/** Returns why a block without a name is not a file, or null if that is unclear. */
function whyNoFile(context: Context, language: string, lines: readonly string[]): NoFile | null {
  if (isShellLike(language))
    return ['output', 'log', 'text', 'txt', 'plaintext', 'tree'].includes(language) ? 'output' : 'shell';
  if (context.kind === 'no_file') return context.why;
  return isShown(lines) ? 'output' : null;
}

function readFence(
  { info: text, before, above, lines }: Extract<Block, { kind: 'fence' }>,
  asked: string | null,
): BlockReading {
  const info = readInfo(text);
  if (firstLine(lines).startsWith('*** Begin Patch')) return diffed(readPatch(lines));
  if (startsWithSearch(lines)) return readSearchFence(before, lines, info);
  const { named, context, conflict } = nameOf(info, above, lines);
  const isDiffFile = named !== null && DIFF_FILE.test(named.path);
  const isProse = named !== null && isProseFile(named.path);
  if (!isDiffFile && (DIFFS.has(info.language) || (!isProse && looksLikeDiff(lines))))
    return diffed(readDiff(lines, named?.path ?? namedBy(before)?.path ?? null));
  if (conflict !== null) return refused(conflict);
  if (named?.isPart === true || (named === null && info.isPart)) return refused(excerpt(named?.path ?? ''));
  if (named !== null) return files({ path: named.path, content: fileText(named.lines) });
  const inJson = ['json', 'jsonc', ''].includes(info.language) ? filesInJson(lines.join('\n'), asked) : [];
  if (inJson.length > 0) return files(...inJson);
  const mentions =
    context.kind === 'unclear' && context.mentions !== null && mayBe(info.language, context.mentions)
      ? context.mentions
      : null;
  return { unnamed: { language: info.language, lines, mentions, why: whyNoFile(context, info.language, lines) } };
}

/**
 * Removes blank lines next to the tags, and a fence or CDATA section around the whole content, because they are not
 * part of the file.
 */
function unwrapped(lines: readonly string[]): readonly string[] {
  const inner = trimmed(lines);
  const [first, last] = [inner[0], inner.at(-1)];
  if (first === undefined || last === undefined) return [];
  const [open] = fenceLines([first]);
  const [close] = fenceLines([last]);
  if (
    inner.length > 1 &&
    open !== undefined &&
    close?.info === '' &&
    close.char === open.char &&
    close.length >= open.length
  )
    return inner.slice(1, -1);
  if (!first.startsWith('<![CDATA[') || !last.endsWith(']]>')) return inner;
  return trimmed(inner.join('\n').slice('<![CDATA['.length, -']]>'.length).split('\n'));
}

/** Reads one block of an answer. `asked` is the path of the only requested file, or null. */
export function readBlock(block: Block, asked: string | null): BlockReading {
  switch (block.kind) {
    case 'fence':
      return readFence(block, asked);
    case 'tag': {
      const lines = unwrapped(block.lines);
      if (block.path === null) return { unnamed: { language: '', lines, mentions: null, why: null } };
      if (startsWithSearch(lines)) return { reading: readSearch(lines, block.path), isDiff: false };
      if (!DIFF_FILE.test(block.path) && !isProseFile(block.path) && looksLikeDiff(lines))
        return diffed(readDiff(lines, block.path));
      return files({ path: block.path, content: fileText(lines) });
    }
    case 'edit':
      return refused(editProblem(block.path ?? '', 'an edit'));
    case 'search':
      return { reading: readSearch(block.lines, block.path), isDiff: false };
    case 'diff':
      return diffed(readDiff(block.lines, null));
    case 'patch':
      return diffed(readPatch(block.lines));
  }
}
