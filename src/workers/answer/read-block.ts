import { fileText, trimmed } from './answer-lines.ts';
import { fenceLines } from './fence-line.ts';
import { type FileAnnouncement, type FoundFile, type LeftOut, problem, type WriteProblem } from './found.ts';
import { type Info, readInfo } from './info-string.ts';
import { type Label, pathInComment, pathsIn, readLabel } from './label-line.ts';
import { hasNoComments, isMarkup, isProseFile, isShown, mayBe } from './languages.ts';
import { editProblem, looksLikeDiff, opensSearch, readDiff, readPatch, readSearch } from './read-diff.ts';
import type { Block } from './split-answer.ts';
import { whyNoText } from './text-frame.ts';

/** A block without a path. It may be the content of the only requested file. */
export interface UnnamedBlock {
  readonly language: string;
  readonly lines: readonly string[];
  /** How the text above announces the block, or null if it is unclear whether it is a file. */
  readonly announced: FileAnnouncement | null;
}

export type BlockReading =
  | { readonly files: readonly FoundFile[] }
  /** `isDiff` is true if the problem is that the block is a diff, which may only show what changed. */
  | { readonly problems: readonly WriteProblem[]; readonly isDiff: boolean }
  | { readonly leftOut: LeftOut }
  | { readonly unnamed: UnnamedBlock };

const refused = (...problems: readonly WriteProblem[]): BlockReading => ({ problems, isDiff: false });

const DIFFS: ReadonlySet<string> = new Set(['diff', 'patch', 'udiff']);
const DIFF_FILE = /\.(?:diff|patch)$/i;

const firstLine = (lines: readonly string[]): string => lines.find((line) => line.trim() !== '') ?? '';

const MOST_SHOWN = 60;
export const beginning = (lines: readonly string[]): string => firstLine(lines).trim().slice(0, MOST_SHOWN);

const HEADING = /^ {0,3}(?:#{1,6} |\*\*[^*]+\*\*:?\s*$)/;

interface Context {
  /** The last line above the block that is not blank. */
  readonly label: Label;
  /** The heading or label above the sentences above the block, if only descriptions are in between; else null. */
  readonly section: string | null;
  /** All other paths that the text between the block before and this one mentions. */
  readonly mentions: readonly string[];
}

const NOTHING: Label = { kind: 'announcement' };

/** Reads the text between the block before and this one, from its last line upwards. */
function contextOf(above: readonly string[]): Context {
  const written = above.filter((line) => line.trim() !== '' && !/^\s*([-*_])(?:\s*\1){2,}\s*$/.test(line));
  const last = written.at(-1);
  if (last === undefined) return { label: NOTHING, section: null, mentions: [] };
  const label = readLabel(last);
  const rest = written.slice(0, -1);
  const mentions = [...new Set(rest.flatMap(pathsIn))];
  const isBelowSentence = label.kind === 'announcement' || (label.kind === 'prose' && label.isDescription);
  if (!isBelowSentence || HEADING.test(last)) return { label, section: null, mentions };
  for (const line of rest.toReversed()) {
    const found = readLabel(line);
    if (found.kind === 'file') return { label, section: found.path, mentions };
    if (HEADING.test(line) || found.kind !== 'prose' || !found.isDescription) break;
  }
  return { label, section: null, mentions };
}

interface Named {
  readonly path: string;
  readonly announced: FileAnnouncement;
  readonly lines: readonly string[];
}

const unclear = (path: string, why: string): WriteProblem =>
  problem(
    'ambiguous',
    path,
    `${why}. If the block is the whole file, put the path into its fence; if not, mark it as an example`,
  );

const KEEPS_FIRST = /^(?:#!|<\?php|<\?xml|["']use (?:client|server|strict)["']|<!doctype)/i;

/** Returns the path in a comment at the top of a block, and the index of its line, or null if there is none. */
function pathOnTop(lines: readonly string[], language: string): { readonly path: string; readonly at: number } | null {
  const first = lines.findIndex((line) => line.trim() !== '');
  if (first < 0) return null;
  const at = KEEPS_FIRST.test(lines[first] ?? '') ? first + 1 : first;
  const path = pathInComment(lines[at] ?? '');
  return path !== null && mayBe(language, path) ? { path, at } : null;
}

/** Returns how the label above a block with a path of its own announces the file, or why it contradicts it. */
function besideOwnPath({ label, mentions }: Context, path: string, isInside: boolean): FileAnnouncement | WriteProblem {
  switch (label.kind) {
    case 'file':
    case 'change':
      return label.path === path || path.endsWith(`/${label.path}`) || label.path.endsWith(`/${path}`)
        ? label.kind === 'file'
          ? 'stated'
          : 'changed'
        : unclear(
            path,
            `the line above the block names ${JSON.stringify(label.path)}, and the block itself ${JSON.stringify(path)}`,
          );
    case 'announcement':
      return 'stated';
    case 'example':
      return unclear(path, 'the line above the block says that it is an example, output or old code');
    case 'mention':
      return !isInside
        ? 'described'
        : unclear(path, 'it is unclear what the line above the block says about the files that it mentions');
    case 'prose':
      if (!isInside) return 'stated';
      return label.isDescription && mentions.every((one) => one === path)
        ? 'described'
        : unclear(path, 'it is unclear what the line above the block says about it');
  }
}

/** Returns the path that the line or section above a block gives it, or null if they name no file. */
function fromAbove({ label, section, mentions }: Context): Omit<Named, 'lines'> | null {
  if (label.kind === 'file') return { path: label.path, announced: 'stated' };
  if (label.kind === 'change') return { path: label.path, announced: 'changed' };
  if (section === null || mentions.some((one) => one !== section)) return null;
  return { path: section, announced: label.kind === 'announcement' ? 'stated' : 'described' };
}

const mismatch = (language: string, path: string): WriteProblem =>
  unclear(path, `the block is marked as ${language}, which is not the language of ${JSON.stringify(path)}`);

type Naming = Named | WriteProblem | null;

/** Determines the path of a block from its info string, its first comment and the text above it. */
function nameOf(info: Info, context: Context, lines: readonly string[]): Naming {
  const { label } = context;
  if (info.path !== null) {
    const { path } = info;
    if (info.isPart) return problem('excerpt', path, 'the fence names a range of lines. Write the whole file');
    if (!mayBe(info.language, path) && isShown(info.language)) return mismatch(info.language, path);
    if (info.isAsked && label.kind !== 'example' && label.kind !== 'file') return { path, announced: 'stated', lines };
    const announced = besideOwnPath(context, path, false);
    return typeof announced === 'string' ? { path, announced, lines } : announced;
  }
  const top = pathOnTop(lines, info.language);
  const above = fromAbove(context);
  if (top !== null) {
    const kept = hasNoComments(top.path) ? lines.toSpliced(top.at, 1) : lines;
    if (above !== null && label.kind !== 'file' && label.kind !== 'change')
      return above.path === top.path
        ? { path: top.path, announced: 'stated', lines: kept }
        : unclear(
            top.path,
            `the heading above the block names ${JSON.stringify(above.path)}, and the block itself ${JSON.stringify(top.path)}`,
          );
    const announced = besideOwnPath(context, top.path, true);
    return typeof announced === 'string' ? { path: top.path, announced, lines: kept } : announced;
  }
  if (above === null) return null;
  if (mayBe(info.language, above.path)) return { ...above, lines };
  return label.kind === 'file' || label.kind === 'change' ? mismatch(info.language, above.path) : null;
}

/** Returns true for the output of a directory tree, or of a terminal session. */
const looksShown = (lines: readonly string[]): boolean =>
  lines.some((line) => /[├└]──/u.test(line)) || /^(?:[$>%] |PS [A-Z]:\\)/.test(firstLine(lines).trim());

/**
 * Reads a block without a path. It is left out only if it is surely no file: it is marked as an example, or it shows
 * commands or output and the text above mentions no file that it could be.
 */
function withoutPath(info: Info, { label, mentions }: Context, lines: readonly string[]): BlockReading {
  const { language } = info;
  const near = label.kind === 'mention' ? label.paths : [];
  const isAboutIt = [...near, ...mentions].some((path) => mayBe(language, path));
  const isNoFile =
    info.isExample ||
    label.kind === 'example' ||
    ((isShown(language) || (language === '' && looksShown(lines))) &&
      !(isShown(language) ? isAboutIt : near.length > 0));
  if (isNoFile) return { leftOut: { language, first: beginning(lines) } };
  const [path] = near;
  if (path !== undefined)
    return refused(unclear(path, 'it is unclear what the line above the block says about the files that it mentions'));
  const announced =
    label.kind === 'announcement' ? 'stated' : label.kind === 'prose' && label.isDescription ? 'described' : null;
  return {
    unnamed: { language, lines, announced: mentions.length > 0 && announced === 'stated' ? 'described' : announced },
  };
}

/** Returns true if the first or second non-blank line opens a SEARCH/REPLACE edit; the path may be on the first line. */
const startsWithSearch = (lines: readonly string[]): boolean =>
  lines
    .filter((line) => line.trim() !== '')
    .slice(0, 2)
    .some(opensSearch);

/** Reads a SEARCH/REPLACE edit, whose path may be in the info string, inside the fence or in the line above. */
function readSearchBlock(lines: readonly string[], info: Info | null, { label }: Context): BlockReading {
  const first = firstLine(lines);
  const own = opensSearch(first) ? null : readLabel(first);
  const path = info?.path ?? (own !== null && 'path' in own ? own.path : null) ?? ('path' in label ? label.path : null);
  return read(readSearch(lines, path));
}

const read = (found: ReturnType<typeof readDiff>, isDiff = false): BlockReading =>
  found.ok ? { files: found.files } : { problems: found.problems, isDiff };

/** Checks the text of a named file, and returns the file or the problem. */
function fileOf({ path, announced, lines }: Named, info: Info | null): BlockReading {
  const why = whyNoText(path, lines, info?.isAsked === true);
  return why === null ? { files: [{ path, announced, content: fileText(lines) }] } : refused(why);
}

/** Returns the only path that the line above a block mentions, or null. */
const mentionedIn = ({ label }: Context): string | null =>
  label.kind === 'mention' && label.paths.length === 1 ? (label.paths[0] ?? null) : null;

function readFence({ info: text, above, lines }: Extract<Block, { kind: 'fence' }>): BlockReading {
  const info = readInfo(text);
  const context = contextOf(above);
  if (firstLine(lines).startsWith('*** Begin Patch')) return read(readPatch(lines), true);
  if (startsWithSearch(lines)) return readSearchBlock(lines, info, context);
  const named = nameOf(info, context, lines);
  const path = named === null || 'code' in named ? null : named.path;
  const mayBeDiff = path === null || (!DIFF_FILE.test(path) && !isProseFile(path));
  if (mayBeDiff && (DIFFS.has(info.language) || looksLikeDiff(lines)))
    return read(readDiff(lines, path ?? mentionedIn(context)), true);
  if (named === null) return withoutPath(info, context, lines);
  return 'code' in named ? refused(named) : fileOf(named, info);
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
  const isFenced =
    inner.length > 1 &&
    open !== undefined &&
    close?.info === '' &&
    close.char === open.char &&
    close.length >= open.length;
  if (isFenced) return inner.slice(1, -1);
  if (!first.startsWith('<![CDATA[') || !last.endsWith(']]>')) return inner;
  return trimmed(inner.join('\n').slice('<![CDATA['.length, -']]>'.length).split('\n'));
}

function readTag({ path, lines: written }: Extract<Block, { kind: 'tag' }>): BlockReading {
  const lines = unwrapped(written);
  if (startsWithSearch(lines)) return read(readSearch(lines, path));
  if (!DIFF_FILE.test(path) && !isProseFile(path) && looksLikeDiff(lines)) return read(readDiff(lines, path), true);
  const text = lines.join('\n');
  if (
    !isMarkup(path) &&
    /&(?:lt|gt|amp|quot|apos|#\d+);/.test(text) &&
    !/[<>&](?!(?:lt|gt|amp|quot|apos|#\d+);)/.test(text)
  )
    return refused(
      problem(
        'framed',
        path,
        'its text has character references such as "&lt;" instead of characters. Write it in a fence, without them',
      ),
    );
  return fileOf({ path, announced: 'stated', lines }, null);
}

/** Reads one block of an answer. */
export function readBlock(block: Block): BlockReading {
  switch (block.kind) {
    case 'fence':
      return readFence(block);
    case 'tag':
      return readTag(block);
    case 'edit':
      return refused(editProblem(block.path ?? '', 'an edit'));
    case 'search':
      return readSearchBlock(block.lines, null, contextOf(block.above));
    case 'diff':
      return read(readDiff(block.lines, null), true);
    case 'patch':
      return read(readPatch(block.lines), true);
  }
}
