import { answerLines, fileText, trimmed } from './answer-lines.ts';
import {
  type FoundFile,
  type LeftOut,
  onlyFiles,
  problem,
  type Reading,
  refusing,
  type WriteProblem,
} from './found.ts';
import { filesInJson, hasSureFiles } from './json-files.ts';
import { pathsIn, readLabel } from './label-line.ts';
import { hasNoComments, mayBe } from './languages.ts';
import { beginning, type BlockReading, readBlock, type UnnamedBlock } from './read-block.ts';
import { type Block, splitAnswer } from './split-answer.ts';
import { whyNoText } from './text-frame.ts';

/** Drops duplicate files that have the same path and the same content. */
const once = (found: readonly FoundFile[]): readonly FoundFile[] => {
  const seen = new Map<string, string>();
  return found.filter(({ path, content }) => {
    const isKnown = seen.get(path) === content;
    seen.set(path, content);
    return !isKnown;
  });
};

const MOST_PROBLEMS = 100;

/**
 * Returns the problems of all blocks. A diff whose files the answer also has as a whole is no problem: it only shows
 * the reader what changed.
 */
function problemsIn(reads: readonly BlockReading[], found: readonly FoundFile[]): readonly WriteProblem[] {
  const whole = new Set(found.map(({ path }) => path));
  return reads
    .flatMap((one) =>
      'problems' in one && !(one.isDiff && one.problems.every(({ path }) => whole.has(path))) ? one.problems : [],
    )
    .slice(0, MOST_PROBLEMS);
}

const unclear = ({ lines }: UnnamedBlock): WriteProblem =>
  problem(
    'ambiguous',
    '',
    `the block that begins with ${JSON.stringify(beginning(lines))} has no path. If it is a file, put its path into the fence; if not, mark it as an example`,
  );

/** Matches a line that frames the name of a file: `=== src/a.ts ===`, `// ---- FILE: src/a.ts ----`. */
const RULED = /^\W{0,4}([=#*~-])\1{2,}\s*(?:file(?:name)?\s*:?\s*)?([^\s=*~]+)\s*\1{3,}\W{0,4}$/i;
const RULE = /^\W{0,4}([=#*~-])\1{4,}\W{0,4}$/;

/** Returns the path of a file that is listed outside of fences, between rules, or null. */
function listedIn(outside: readonly string[]): string | null {
  for (const [at, line] of outside.entries()) {
    if (line.length > 300) continue;
    const ruled = RULED.exec(line.trim())?.[2];
    if (ruled !== undefined && readLabel(ruled).kind === 'file') return ruled;
    if (!RULE.test(line.trim()) || !RULE.test((outside[at + 2] ?? '').slice(0, 300).trim())) continue;
    const label = readLabel(outside[at + 1] ?? '');
    if (label.kind === 'file') return label.path;
  }
  return null;
}

const NOTHING = problem('no_files', '', 'no block of the answer has a path');

const otherFiles = (asked: string): WriteProblem =>
  problem('ambiguous', asked, 'it is unclear whether the JSON is this file, or a list of other files');

/** Reads an answer in which no block has a path: its only block, if one file was requested and nothing speaks against it. */
function readUnnamed(unnamed: readonly UnnamedBlock[], asked: string | null): readonly FoundFile[] | WriteProblem {
  const [only] = unnamed;
  if (asked === null || only === undefined || unnamed.length > 1 || only.announced === null) return NOTHING;
  if (!mayBe(only.language, asked)) return NOTHING;
  const isOther = mayBe('json', asked) && hasSureFiles(only.lines.join('\n'));
  const why = isOther ? otherFiles(asked) : whyNoText(asked, only.lines, false);
  return why ?? [{ path: asked, announced: only.announced, content: fileText(only.lines) }];
}

const MOST_NAMED = 20;

/**
 * Returns the files of a JSON text. If the requested file is JSON itself, the text is read as files only if one of them
 * is the requested file.
 */
function jsonFiles(text: string, asked: string | null): readonly FoundFile[] {
  const files = once(filesInJson(text));
  return asked !== null && mayBe('json', asked) && !files.some(({ path }) => path === asked) ? [] : files;
}

/** Returns a JSON text without its formatting, or null if it is not JSON. */
function normalJson(lines: readonly string[]): string | null {
  try {
    return JSON.stringify(JSON.parse(lines.join('\n')));
  } catch {
    return null;
  }
}

const isJson = (lines: readonly string[]): boolean => normalJson(lines) !== null;

/** Returns the blocks of an answer without the block that holds its data. */
const withoutData = (blocks: readonly Block[], data: string | null): readonly Block[] =>
  data === null ? blocks : blocks.filter((block) => block.kind !== 'fence' || normalJson(block.lines) !== data);

function readBlocks(
  all: readonly Block[],
  outside: readonly string[],
  asked: string | null,
  data: string | null,
): Reading {
  const blocks = withoutData(all, data);
  const reads = blocks.map(readBlock);
  const found = reads.flatMap((one) => ('files' in one ? one.files : []));
  const unnamed = reads.flatMap((one) => ('unnamed' in one ? [one.unnamed] : []));
  const problems = problemsIn(reads, found);
  if (problems.length > 0) return refusing(...problems);
  const listed = listedIn(outside);
  if (listed !== null)
    return refusing(problem('ambiguous', listed, 'its text is not in a fence. Put each file in a fence'));
  const leftOut = reads.flatMap((one): readonly LeftOut[] => ('leftOut' in one ? [one.leftOut] : []));
  const [only] = unnamed;
  const inJson =
    found.length === 0 && unnamed.length === 1 && (only?.announced ?? null) !== null
      ? jsonFiles((only?.lines ?? []).join('\n'), asked)
      : [];
  if (inJson.length > 0) return onlyFiles(inJson);
  if (found.length > 0 && unnamed.length > 0) return refusing(...unnamed.slice(0, MOST_PROBLEMS).map(unclear));
  const files = found.length > 0 ? found : readUnnamed(unnamed, asked);
  if ('code' in files) return refusing(files);
  const known = new Set(files.map(({ path }) => path));
  const named = [...new Set(outside.flatMap(pathsIn))].filter((path) => !known.has(path)).slice(0, MOST_NAMED);
  return { ok: true, files: once(files), leftOut, named };
}

/**
 * Reads all files of a model's answer, for `Internal:FileSystemWriter`, or returns why none can be written. `asked` is
 * the path of the only requested file, or null; `data` is the data that `answer.schema` requires of the answer, as JSON,
 * or null.
 */
export function readFiles(text: string, asked: string | null, data: string | null = null): Reading {
  const inData = data === null ? [] : jsonFiles(data, asked);
  if (inData.length > 0) return onlyFiles(inData);
  const lines = answerLines(text);
  if (lines === null) return refusing(problem('truncated', '', 'the answer ended while the model was still thinking'));
  const bare = trimmed(lines);
  const inJson = jsonFiles(bare.join('\n'), asked);
  if (inJson.length > 0) return onlyFiles(inJson);
  if (asked !== null && hasNoComments(asked) && isJson(bare))
    return readBlocks([{ kind: 'fence', info: 'json', lines: bare, above: [] }], [], asked, null);
  const split = splitAnswer(lines);
  return 'problem' in split ? refusing(split.problem) : readBlocks(split.blocks, split.outside, asked, data);
}
