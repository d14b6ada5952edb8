import { fileText, trimmed } from './answer-lines.ts';
import { fenceLines } from './fence-line.ts';
import { type FoundFile, problem, type Reading, refusing, type WriteProblem } from './found.ts';
import { readInfo } from './info-string.ts';
import { filesInJson } from './json-files.ts';
import { hasNoComments, isProseFile, isShellLike, mayBe } from './languages.ts';
import { namedBy, namedInside } from './path-before.ts';
import { editProblem, looksLikeDiff, opensSearch, readDiff, readPatch, readSearch } from './read-diff.ts';
import type { Block } from './scan-blocks.ts';

/** A block that nothing names; it may be the one file that is asked for. */
export interface Unnamed {
  readonly language: string;
  readonly lines: readonly string[];
  /** A file that the sentence before it speaks of. */
  readonly mentions: string | null;
}

export type Read = { readonly reading: Reading; readonly isDiff: boolean } | { readonly unnamed: Unnamed };

const files = (...found: readonly FoundFile[]): Read => ({ reading: { ok: true, files: found }, isDiff: false });
const refused = (...problems: readonly WriteProblem[]): Read => ({ reading: refusing(...problems), isDiff: false });
const diffed = (reading: Reading): Read => ({ reading, isDiff: true });

const DIFFS: ReadonlySet<string> = new Set(['diff', 'patch', 'udiff']);
const DIFF_FILE = /\.(?:diff|patch)$/i;

const excerpt = (path: string): WriteProblem =>
  problem('excerpt', path, 'only a part of it came: write the whole file, or use Internal:Loom for edits');

export const firstLine = (lines: readonly string[]): string => lines.find((line) => line.trim() !== '') ?? '';

type Named = { readonly path: string; readonly isPart: boolean; readonly lines: readonly string[] };

/** Info string, heading, first comment, sentence: in this order the file's name is believed. */
function nameOf(info: ReturnType<typeof readInfo>, before: string, lines: readonly string[]): Named | null {
  if (info.path !== null) return { path: info.path, isPart: info.isPart, lines };
  const found = namedBy(before);
  const named = found?.by === 'mention' ? null : found;
  const fits =
    named !== null &&
    (named.by === 'mark'
      ? !isShellLike(info.language) || mayBe(info.language, named.path)
      : mayBe(info.language, named.path));
  if (named !== null && fits && named.by === 'mark') return { ...named, lines };
  const inside = namedInside(lines);
  if (inside !== null && mayBe(info.language, inside.path))
    return {
      path: inside.path,
      isPart: info.isPart,
      lines: hasNoComments(inside.path) ? lines.toSpliced(inside.line, 1) : lines,
    };
  return named !== null && fits ? { ...named, lines } : null;
}

/** The path may stand on the line above the edit, inside or outside of the fence. */
function readSearchFence(before: string, lines: readonly string[], info: ReturnType<typeof readInfo>): Read {
  const first = firstLine(lines);
  const path =
    info.path ?? (opensSearch(first) ? null : (namedBy(first)?.path ?? first.trim())) ?? namedBy(before)?.path;
  return { reading: readSearch(lines, path ?? null), isDiff: false };
}

/** On its first line, or on the one after its path. */
function startsWithSearch(lines: readonly string[]): boolean {
  const first = lines.findIndex((line) => line.trim() !== '');
  const second = lines.findIndex((line, at) => at > first && line.trim() !== '');
  return [first, second].some((at) => opensSearch(lines[at] ?? ''));
}

function mentionedBy(before: string, language: string): string | null {
  const found = namedBy(before);
  return found?.by === 'mention' && mayBe(language, found.path) ? found.path : null;
}

function readFence({ info: text, before, lines }: Extract<Block, { kind: 'fence' }>, asked: string | null): Read {
  const info = readInfo(text);
  if (firstLine(lines).startsWith('*** Begin Patch')) return diffed(readPatch(lines));
  if (startsWithSearch(lines)) return readSearchFence(before, lines, info);
  const named = nameOf(info, before, lines);
  const isDiffFile = named !== null && DIFF_FILE.test(named.path);
  const isProse = named !== null && isProseFile(named.path);
  if (!isDiffFile && (DIFFS.has(info.language) || (!isProse && looksLikeDiff(lines))))
    return diffed(readDiff(lines, named?.path ?? null));
  if (named?.isPart === true || (named === null && info.isPart)) return refused(excerpt(named?.path ?? ''));
  if (named !== null) return files({ path: named.path, content: fileText(named.lines) });
  const inJson = ['json', 'jsonc', ''].includes(info.language) ? filesInJson(lines.join('\n'), asked) : [];
  return inJson.length > 0
    ? files(...inJson)
    : { unnamed: { language: info.language, lines, mentions: mentionedBy(before, info.language) } };
}

/** Blank lines next to the tags, and a fence or a CDATA section that holds all of it, are no part of the file. */
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

/** What one block of an answer brings; `asked` is the path of the one file that is asked for. */
export function readBlock(block: Block, asked: string | null): Read {
  switch (block.kind) {
    case 'fence':
      return readFence(block, asked);
    case 'tag': {
      const lines = unwrapped(block.lines);
      if (block.path === null) return { unnamed: { language: '', lines, mentions: null } };
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
