import { isTop } from './document.ts';
import { type FenceEnd, fenceEnds } from './fence-end.ts';
import { type FenceLine, fenceLines } from './fence-line.ts';
import { problem, type WriteProblem } from './found.ts';
import { readInfo } from './info-string.ts';
import { readLabel } from './label-line.ts';
import { isProseFile } from './languages.ts';
import { closesSearch, isDiffLine, opensSearch } from './read-diff.ts';
import { endOfTag, strayEnds } from './tag-end.ts';
import { type TagLine, tagLine } from './tag-lines.ts';

interface Above {
  /** The lines between the block before and this one. */
  readonly above: readonly string[];
}

/** A part of an answer that is not prose. */
export type Block = Above &
  (
    | { readonly kind: 'fence'; readonly info: string; readonly lines: readonly string[] }
    | { readonly kind: 'tag'; readonly path: string; readonly lines: readonly string[] }
    | { readonly kind: 'edit'; readonly path: string | null }
    | { readonly kind: 'search' | 'diff' | 'patch'; readonly lines: readonly string[] }
  );

type Found = Block extends infer One ? (One extends Block ? Omit<One, 'above'> : never) : never;

/** The blocks of an answer and the lines outside them, or the problem that ended the scan. */
type Split =
  { readonly blocks: readonly Block[]; readonly outside: readonly string[] } | { readonly problem: WriteProblem };

/** The block that begins at a line, or null, and the index of the next line to read. */
type Step = { readonly block: Found | null; readonly next: number } | { readonly problem: WriteProblem };

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

/** Returns the index of the first matching line, beginning at `from`, or -1. */
function find(lines: readonly string[], from: number, holds: (line: string) => boolean): number {
  for (let at = from; at < lines.length; at += 1) if (holds(lines[at] ?? '')) return at;
  return -1;
}

const MARKDOWN: ReadonlySet<string> = new Set(['md', 'markdown', 'mdx']);

/** Returns a function that finds the ends of the fenced blocks of an answer. */
const endFinder = (lines: readonly string[], fences: readonly FenceLine[]): ((fence: FenceLine) => FenceEnd) =>
  fenceEnds(fences, {
    opensFile: ({ info }) => readInfo(info).path !== null,
    isMarkdown: ({ info, at }) => {
      const { language, path } = readInfo(info);
      if (info !== '') return MARKDOWN.has(language) || (path !== null && isProseFile(path));
      if (!isTop(lines[at + 1] ?? '')) return false;
      const label = readLabel(lines.slice(Math.max(0, at - 2), at).findLast((line) => line.trim() !== '') ?? '');
      return !('path' in label) || isProseFile(label.path);
    },
  });

/** Removes the indentation of a fence from a line inside its block. */
function dedent(line: string, indent: number): string {
  let at = 0;
  while (at < indent && (line[at] === ' ' || line[at] === '\t')) at += 1;
  return line.slice(at);
}

function readFence(lines: readonly string[], fence: FenceLine, end: FenceEnd): Step {
  if ('open' in end) return { problem: end.open === 'ambiguous' ? UNCLEAR : cutOff('a fenced block') };
  const inside = lines.slice(fence.at + 1, end.close.at).map((line) => dedent(line, fence.indent));
  return { block: { kind: 'fence', info: fence.info, lines: inside }, next: end.close.at + 1 };
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
    return { problem: found.open === 'ambiguous' ? mixed(path, tag.close) : cutOff(`the text before ${tag.close}`) };
  const end = found.at;
  const last = end === at ? tag.rest : (lines[end] ?? '');
  const inside = [
    ...(end === at ? [] : [tag.rest]),
    ...lines.slice(at + 1, end),
    last.trimEnd().slice(0, -tag.close.length),
  ];
  return {
    block: tag.kind === 'edit' || path === null ? { kind: 'edit', path } : { kind: 'tag', path, lines: inside },
    next: end + 1,
  };
}

/** Reads a block up to the line that ends it. */
function readUntil(
  lines: readonly string[],
  at: number,
  kind: 'patch' | 'search',
  ends: (line: string) => boolean,
): Step {
  const end = find(lines, at, ends);
  if (end < 0) return { problem: cutOff(kind === 'patch' ? 'a patch' : 'a SEARCH/REPLACE block') };
  return { block: { kind, lines: lines.slice(at, end + 1) }, next: end + 1 };
}

function readDiffLines(lines: readonly string[], at: number): Step {
  const end = find(lines, at, (line) => !isDiffLine(line));
  const next = end < 0 ? lines.length : end;
  return { block: { kind: 'diff', lines: lines.slice(at, next) }, next };
}

const opensDiff = (line: string, after: string): boolean =>
  line.startsWith('diff --git ') || (/^--- \S/.test(line) && after.startsWith('+++ '));

/** Returns the blocks of an answer in order, or the problem of the first block that can't be read. */
export function splitAnswer(lines: readonly string[]): Split {
  const fences = new Map(fenceLines(lines).map((fence) => [fence.at, fence]));
  const endOf = endFinder(lines, [...fences.values()]);
  const blocks: Block[] = [];
  const outside: string[] = [];
  let above: string[] = [];
  let said: string | null = null;
  const strays = strayEnds();

  const step = (at: number): Step => {
    const line = lines[at] ?? '';
    const fence = fences.get(at);
    if (fence !== undefined) return readFence(lines, fence, endOf(fence));
    if (line.startsWith('*** Begin Patch'))
      return readUntil(lines, at, 'patch', (one) => one.startsWith('*** End Patch'));
    if (opensSearch(line)) return readUntil(lines, at, 'search', closesSearch);
    if (opensDiff(line, lines[at + 1] ?? '')) return readDiffLines(lines, at);
    const tag = tagLine(line, said !== null);
    if (tag !== null && tag.kind !== 'path') {
      strays.read(nameOf(tag));
      return readTag(lines, at, tag, said);
    }
    if (tag !== null) said = tag.path;
    const stray = strays.find(line);
    return stray === null ? { block: null, next: at + 1 } : { problem: mixed(null, `</${stray}>`) };
  };

  for (let at = 0; at < lines.length;) {
    const found = step(at);
    if ('problem' in found) return found;
    if (found.block === null) above.push(lines[at] ?? '');
    else {
      blocks.push({ ...found.block, above });
      if (found.block.kind !== 'edit') said = null;
      outside.push(...above);
      above = [];
    }
    at = found.next;
  }
  return { blocks, outside: [...outside, ...above] };
}
