import { isTop } from './document.ts';
import { type FenceLine, fenceLines } from './fence-line.ts';
import { problem, type WriteProblem } from './found.ts';
import { readInfo } from './info-string.ts';
import { isTalk } from './is-talk.ts';
import { isMarkdown } from './languages.ts';
import { type FenceEnd, fencePairer } from './pair-fences.ts';
import { namedBy } from './path-before.ts';
import { closesSearch, isDiffLine, opensSearch } from './read-diff.ts';
import { endOfTag, strayEnds } from './tag-end.ts';
import { type TagLine, tagLine } from './tag-lines.ts';

/** A part of an answer that is not prose. */
export type Block =
  | {
      readonly kind: 'fence';
      readonly info: string;
      readonly before: string;
      readonly above: readonly string[];
      readonly lines: readonly string[];
    }
  | { readonly kind: 'tag'; readonly path: string | null; readonly lines: readonly string[] }
  | { readonly kind: 'edit'; readonly path: string | null }
  | { readonly kind: 'search'; readonly path: string | null; readonly lines: readonly string[] }
  | { readonly kind: 'diff' | 'patch'; readonly lines: readonly string[] };

/** The blocks of an answer and the lines outside them, or the problem that ended the scan. */
type Scan =
  { readonly blocks: readonly Block[]; readonly outside: readonly string[] } | { readonly problem: WriteProblem };

const cutOff = (what: string): WriteProblem =>
  problem(
    'truncated',
    '',
    `${what} has no end: the answer was cut off, or the end mark is missing. Write it again completely`,
  );

const UNCLEAR = problem(
  'ambiguous_fences',
  '',
  'the end of a fenced block is unclear, because fences inside it are as long as its own. Open and close the outer block with four backticks',
);

/** The block that begins at a line, or null, and the index of the next line to read. */
type Step = { readonly block: Block | null; readonly next: number } | { readonly problem: WriteProblem };

/** Maximum number of lines above a block that are searched for its name. */
const MOST_ABOVE = 60;

/**
 * Returns the line of text before the given line, skipping at most one blank line. Returns an empty string if that line
 * belongs to the previous block.
 */
function textBefore(lines: readonly string[], at: number, closed = -1): string {
  const line = (lines[at - 1] ?? '').trim() === '' ? at - 2 : at - 1;
  return line > closed ? (lines[line] ?? '') : '';
}

/** Returns the index of the first matching line, beginning at `from`, or -1. */
function find(lines: readonly string[], from: number, holds: (line: string) => boolean): number {
  for (let at = from; at < lines.length; at += 1) if (holds(lines[at] ?? '')) return at;
  return -1;
}

/** Returns a function that finds the ends of the fenced blocks of an answer. */
function endFinder(lines: readonly string[], fences: readonly FenceLine[]): (fence: FenceLine) => FenceEnd {
  const pathOf = ({ at, info }: FenceLine): string | null =>
    readInfo(info).path ?? namedBy(textBefore(lines, at))?.path ?? null;
  return fencePairer(fences, {
    opensFile: (fence) => pathOf(fence) !== null,
    isMarkdown: (fence) => {
      const path = pathOf(fence);
      const isBare = fence.info === '' && path === null && isTop(lines[fence.at + 1] ?? '');
      return isBare || isMarkdown(readInfo(fence.info).language, path);
    },
    isTalk: (from, to) => to.at - from.at < 2 || lines.slice(from.at + 1, to.at).some(isTalk),
  });
}

/** Removes the indentation of a fence from a line inside its block. */
function dedent(line: string, indent: number): string {
  if (indent === 0) return line;
  let at = 0;
  while (at < indent && (line[at] === ' ' || line[at] === '\t')) at += 1;
  return line.slice(at);
}

function readFence(lines: readonly string[], fence: FenceLine, end: FenceEnd, closed: number): Step {
  if ('open' in end) return { problem: end.open === 'ambiguous' ? UNCLEAR : cutOff('a fenced block') };
  const inside = lines.slice(fence.at + 1, end.close.at).map((line) => dedent(line, fence.indent));
  const before = textBefore(lines, fence.at, closed);
  const above = lines.slice(Math.max(closed + 1, fence.at - MOST_ABOVE), fence.at);
  return { block: { kind: 'fence', info: fence.info, before, above, lines: inside }, next: end.close.at + 1 };
}

const nameOf = ({ close }: Exclude<TagLine, { kind: 'path' }>): string => close.slice(2, -1);

const mixed = (path: string | null, close: string): WriteProblem =>
  problem(
    'ambiguous',
    path ?? '',
    `the end of the file is unclear, because ${close} may be a part of it. Put the file into a fence with its path`,
  );

/** Reads the content between a tag and its end tag, which may be on the same line. */
function readTag(
  lines: readonly string[],
  at: number,
  tag: Exclude<TagLine, { kind: 'path' }>,
  said: string | null,
): Step {
  const path = tag.path ?? said;
  const found = endOfTag(lines, at, tag.rest, nameOf(tag));
  if ('open' in found)
    return {
      problem: found.open === 'ambiguous' ? mixed(path, tag.close) : cutOff(`the text before ${tag.close}`),
    };
  const end = found.at;
  const last = end === at ? tag.rest : (lines[end] ?? '');
  const inside = [
    ...(end === at ? [] : [tag.rest]),
    ...lines.slice(at + 1, end),
    last.trimEnd().slice(0, -tag.close.length),
  ];
  return { block: tag.kind === 'edit' ? { kind: 'edit', path } : { kind: 'tag', path, lines: inside }, next: end + 1 };
}

function readPatchLines(lines: readonly string[], at: number): Step {
  const end = find(lines, at, (line) => line.startsWith('*** End Patch'));
  if (end < 0) return { problem: cutOff('a patch') };
  return { block: { kind: 'patch', lines: lines.slice(at, end + 1) }, next: end + 1 };
}

function readSearchLines(lines: readonly string[], at: number, closed: number): Step {
  const end = find(lines, at, closesSearch);
  if (end < 0) return { problem: cutOff('a SEARCH/REPLACE block') };
  const path = namedBy(textBefore(lines, at, closed))?.path ?? null;
  return { block: { kind: 'search', path, lines: lines.slice(at, end + 1) }, next: end + 1 };
}

function readDiffLines(lines: readonly string[], at: number): Step {
  const end = find(lines, at, (line) => !isDiffLine(line));
  const next = end < 0 ? lines.length : end;
  return { block: { kind: 'diff', lines: lines.slice(at, next) }, next };
}

const opensDiff = (line: string, after: string): boolean =>
  line.startsWith('diff --git ') || (/^--- \S/.test(line) && after.startsWith('+++ '));

/** Returns the blocks of an answer in order, or the problem of the first block that can't be read. */
export function scanBlocks(lines: readonly string[]): Scan {
  const fences = new Map(fenceLines(lines).map((fence) => [fence.at, fence]));
  const endOf = endFinder(lines, [...fences.values()]);
  const blocks: Block[] = [];
  const outside: string[] = [];
  let said: string | null = null;
  const strays = strayEnds();
  let closed = -1;

  const step = (at: number): Step => {
    const line = lines[at] ?? '';
    const fence = fences.get(at);
    if (fence !== undefined) return readFence(lines, fence, endOf(fence), closed);
    if (line.startsWith('*** Begin Patch')) return readPatchLines(lines, at);
    if (opensSearch(line)) return readSearchLines(lines, at, closed);
    if (opensDiff(line, lines[at + 1] ?? '')) return readDiffLines(lines, at);
    const tag = tagLine(line, said !== null);
    if (tag !== null && tag.kind !== 'path') {
      strays.read(nameOf(tag));
      return readTag(lines, at, tag, said);
    }
    if (tag !== null) said = tag.path;
    const stray = strays.find(line);
    if (stray !== null) return { problem: mixed(null, `</${stray}>`) };
    return { block: null, next: at + 1 };
  };

  for (let at = 0; at < lines.length;) {
    const found = step(at);
    if ('problem' in found) return found;
    if (found.block === null) outside.push(...lines.slice(at, found.next));
    at = found.next;
    if (found.block === null) continue;
    blocks.push(found.block);
    closed = at - 1;
    if (found.block.kind !== 'edit') said = null;
  }
  return { blocks, outside };
}
