import { answerLines, fileText, isSignalLine, trimmed } from './answer-lines.ts';
import { documentIn, isTop } from './document.ts';
import { type FoundFile, type LeftOut, problem, type Reading, refusing, type WriteProblem } from './found.ts';
import { looksLikeCode } from './is-talk.ts';
import { filesInJson } from './json-files.ts';
import { isProseFile, mayBe } from './languages.ts';
import { readListing } from './listing.ts';
import { firstLine, type BlockReading, readBlock, type Unnamed } from './read-block.ts';
import { scanBlocks } from './scan-blocks.ts';

/** Drops duplicate files that have the same path and the same content. */
const once = (found: readonly FoundFile[]): readonly FoundFile[] => {
  const seen = new Map<string, string>();
  return found.filter(({ path, content }) => {
    const isKnown = seen.get(path) === content;
    seen.set(path, content);
    return !isKnown;
  });
};

/** Drops a rejected diff if the answer also contains the whole file: such a diff only shows the reader what changed. */
function withoutShownDiffs(reads: readonly Exclude<BlockReading, { unnamed: Unnamed }>[]): readonly Reading[] {
  const whole = new Set(
    reads.flatMap(({ reading, isDiff }) => (reading.ok && !isDiff ? reading.files.map(({ path }) => path) : [])),
  );
  return reads
    .filter(
      ({ reading, isDiff }) =>
        !isDiff ||
        reading.ok ||
        whole.size === 0 ||
        !reading.problems.every(({ path }) => path === '' || whole.has(path)),
    )
    .map(({ reading }) => reading);
}

const MOST_SHOWN = 60;

const shown = ({ lines }: Unnamed): string => firstLine(lines).trim().slice(0, MOST_SHOWN);

const unclear = (one: Unnamed): WriteProblem =>
  one.mentions === null
    ? problem(
        'ambiguous',
        '',
        `The block that begins with ${JSON.stringify(shown(one))} has no path. If it is a file, put its path into the fence, like \`\`\`${one.language === '' ? 'ts' : one.language} path=src/a.ts; if it is not, say what it is in the line above it ("Usage:", "Output:")`,
      )
    : problem(
        'excerpt',
        one.mentions,
        'it is unclear whether the block below its name is the whole file. If it is, put the path into the fence',
      );

/**
 * Returns a problem for every block that may be a file but has no name. In an answer with named files, ignoring such a
 * block could write only a part of the answer.
 */
function unclearIn(unnamed: readonly Unnamed[]): readonly WriteProblem[] {
  return unnamed.filter(({ why }) => why === null).map(unclear);
}

function leftOutOf(unnamed: readonly Unnamed[]): { readonly leftOut?: readonly LeftOut[] } {
  const leftOut = unnamed.flatMap((one) =>
    one.why === null ? [] : [{ why: one.why, language: one.language, first: shown(one) }],
  );
  return leftOut.length === 0 ? {} : { leftOut };
}

/**
 * Returns problems for files that are listed without fences while the answer also has fenced files. A named block
 * within such a listing is most likely only a part of the listed file.
 */
function listedBeside(
  found: readonly FoundFile[],
  outside: readonly string[],
  isAnyUnnamed: boolean,
): readonly WriteProblem[] {
  const known = new Set(found.map(({ path }) => path));
  const listed = readListing(outside);
  if (listed === null) return [];
  if (!listed.ok) return listed.problems;
  return listed.files
    .filter(({ path, content }) => !known.has(path) && (content !== '' || isAnyUnnamed))
    .map(({ path }) =>
      problem('ambiguous', path, 'the text below its name is not in a fence. Put each file in a fence'),
    );
}

const NOTHING = problem(
  'no_files',
  '',
  'No block of the answer has a path. Put the path of each file into its fence, like ```ts path=src/a.ts',
);

/**
 * Reads an answer in which no block has a name: the only block that fits the requested file, or else the whole answer
 * if it looks like that file.
 */
function readUnnamed(lines: readonly string[], unnamed: readonly Unnamed[], path: string | null): Reading {
  if (path === null) return refusing(NOTHING);
  const fitting = unnamed.filter(({ language }) => mayBe(language, path));
  const sure = fitting.filter(({ language }) => language !== '');
  const [only] = fitting.length === 1 ? fitting : sure;
  if (
    only !== undefined &&
    (fitting.length === 1 || sure.length === 1) &&
    (!isProseFile(path) || only.language !== '' || isTop(firstLine(only.lines)))
  )
    return { ok: true, files: [{ path, content: fileText(only.lines) }] };
  if (isProseFile(path)) {
    const text = documentIn(lines);
    return text === null ? refusing(NOTHING) : { ok: true, files: [{ path, content: fileText(text) }] };
  }
  const bare = trimmed(lines);
  return unnamed.length === 0 && looksLikeCode(bare)
    ? { ok: true, files: [{ path, content: fileText(bare) }] }
    : refusing(NOTHING);
}

/**
 * Returns the text from the first line that begins with a bracket to the last line that ends with one, or an empty
 * string.
 */
function jsonPart(lines: readonly string[]): string {
  const first = lines.findIndex((line) => /^[{[]/.test(line));
  return first < 0 ? '' : lines.slice(first, lines.findLastIndex((line) => /[\]}]\s*$/.test(line)) + 1).join('\n');
}

/**
 * Reads all files of a model's answer, for `Internal:FileSystemWriter`, or returns why none can be written. `fallback`
 * is the path of the only requested file, or null.
 */
export function readFiles(text: string, fallback: string | null): Reading {
  const lines = answerLines(text);
  if (lines === null) return refusing(problem('truncated', '', 'the answer ended while the model was still thinking'));
  const inJson = filesInJson(lines.filter((line) => !isSignalLine(line)).join('\n'), fallback);
  if (inJson.length > 0) return { ok: true, files: once(inJson) };
  const scan = scanBlocks(lines);
  if ('problem' in scan) return refusing(scan.problem);
  const reads = scan.blocks.map((block) => readBlock(block, fallback));
  const readings = withoutShownDiffs(reads.filter((read) => 'reading' in read));
  const problems = readings.flatMap((reading) => (reading.ok ? [] : reading.problems));
  if (problems.length > 0) return { ok: false, problems: problems.slice(0, 100) };
  const found = readings.flatMap((reading) => (reading.ok ? reading.files : []));
  const unnamed = reads.flatMap((read) => ('unnamed' in read ? [read.unnamed] : []));
  if (found.length > 0) {
    const open = [...unclearIn(unnamed), ...listedBeside(found, scan.outside, unnamed.length > 0)];
    return open.length > 0 ? { ok: false, problems: open } : { ok: true, files: once(found), ...leftOutOf(unnamed) };
  }
  const quoted = scan.blocks.length === 0 ? filesInJson(jsonPart(lines), fallback) : [];
  if (quoted.length > 0) return { ok: true, files: once(quoted) };
  const listed = scan.blocks.length === 0 ? readListing(lines) : null;
  if (listed !== null) return listed.ok ? { ok: true, files: once(listed.files) } : listed;
  return readUnnamed(lines, unnamed, fallback);
}
