import { type FilesRead, type FoundFile, problem, refusing, type WriteProblem } from './found.ts';
import { LONGEST_MARK } from './answer-lines.ts';

const HUNK = /^@@ -\d+(?:,\d+)? \+\d+(?:,(\d+))? @@/;
const HEAD =
  /^(?:diff --git |Index: |--- |\+\+\+ |@@|\*\*\* |new file mode|deleted file mode|rename |similarity |index )/;

const firstOf = (lines: readonly string[]): string => lines.find((line) => line.trim() !== '') ?? '';

/** Returns true if every line begins with a diff marker and there are both added and removed lines. */
function isMarkedThroughout(lines: readonly string[]): boolean {
  return (
    lines.every((line) => line === '' || '-+ \t@'.includes(line.charAt(0))) &&
    lines.some((line) => line.startsWith('+') && !line.startsWith('++')) &&
    lines.some((line) => line.startsWith('-') && !line.startsWith('--'))
  );
}

/** Returns true if a block looks like a diff, whatever language its fence declares. */
export const looksLikeDiff = (lines: readonly string[]): boolean => {
  const first = firstOf(lines);
  if (first.startsWith('diff --git ') || first.startsWith('Index: ')) return true;
  if (/^@@(?: |$)/.test(first)) return true;
  if (/^--- \S/.test(first)) return lines.slice(0, 20).some((line) => /^\+\+\+ \S/.test(line));
  return isMarkedThroughout(lines);
};

/**
 * Returns the file name in a `---` or `+++` line without its prefix, or null for `/dev/null`, which means that the file
 * does not exist on this side.
 */
function nameIn(line: string): string | null {
  const name = line.slice(4).split('\t')[0]?.trim() ?? '';
  return name === '/dev/null' ? null : name.replace(/^"(.*)"$/, '$1').replace(/^[abciow]\//, '');
}

interface Section {
  readonly from: string | null;
  readonly to: string | null;
  readonly body: readonly string[];
}

/** Splits a diff into sections, one for each file. Lines before the first section are dropped. */
function sectionsOf(lines: readonly string[]): readonly Section[] {
  const starts = lines.flatMap((line, at) =>
    /^--- \S/.test(line) && /^\+\+\+ \S/.test(lines[at + 1] ?? '') ? [at] : [],
  );
  return starts.map((start, index) => {
    const body = lines.slice(start + 2, starts[index + 1] ?? lines.length);
    return { from: nameIn(lines[start] ?? ''), to: nameIn(lines[start + 1] ?? ''), body };
  });
}

/**
 * Returns the new file that a section of a diff adds, or a problem if the section has other lines, or not as many as
 * its header states.
 */
function newFile(path: string, body: readonly string[]): FoundFile | WriteProblem {
  const counted = HUNK.exec(body[0] ?? '');
  const hunk = body.slice(1).filter((line) => !/^(?:diff --git |new file mode|index )/.test(line));
  const last = hunk.findLastIndex((line) => line.trim() !== '');
  const said = hunk.slice(0, last + 1);
  const added = said.filter((line) => line.startsWith('+')).map((line) => line.slice(1));
  const hasOthers = said.some((line) => !line.startsWith('+') && !line.startsWith('\\'));
  if (counted === null || hasOthers || Number(counted[1] ?? 1) !== added.length)
    return problem(
      'bad_diff',
      path,
      'the diff of this new file does not match its own line numbers. Write the whole file in a fence',
    );
  return {
    path,
    announced: 'stated',
    content: `${added.join('\n')}${said.at(-1)?.startsWith('\\') === true ? '' : '\n'}`,
  };
}

/** Returns the problem for an answer that contains an edit where a whole file is required. */
export const editProblem = (path: string, what: string): WriteProblem =>
  problem(
    'edit_format',
    path,
    `the answer contains it as ${what}, which this worker never applies. Write the whole file, or use Internal:Loom for edits`,
  );

/**
 * Reads the new files in a unified diff. A diff of an existing file is rejected; it is never written as if it were the
 * file's text.
 */
export function readDiff(lines: readonly string[], named: string | null): FilesRead {
  const sections = sectionsOf(lines);
  if (sections.length === 0) return refusing(editProblem(named ?? '', 'a diff'));
  const results = sections.map(({ from, to, body }) => {
    if (to === null) return editProblem(from ?? named ?? '', 'a file removal');
    return from === null ? newFile(to, body) : editProblem(to, 'a diff');
  });
  const problems = results.filter((result): result is WriteProblem => 'code' in result);
  const files = results.filter((result): result is FoundFile => !('code' in result));
  return problems.length > 0 ? { ok: false, problems } : { ok: true, files };
}

const PATCH_FILE = /^\*\*\* (Add|Update|Delete) File: (.+)$/;

/** Reads the new files in a patch in the "Begin Patch" format. Updates and removals of files are rejected. */
export function readPatch(lines: readonly string[]): FilesRead {
  const files: { readonly path: string; readonly lines: string[] }[] = [];
  const problems: WriteProblem[] = [];
  let adding: string[] | null = null;
  for (const line of lines) {
    const match = line.length > LONGEST_MARK ? null : PATCH_FILE.exec(line.trim());
    if (match !== null) {
      const [, verb, path = ''] = match;
      adding = null;
      if (verb === 'Add') files.push({ path: path.trim(), lines: (adding = []) });
      else problems.push(editProblem(path.trim(), verb === 'Delete' ? 'a file removal' : 'a patch'));
    } else if (adding !== null && line.startsWith('+')) adding.push(line.slice(1));
    else if (adding !== null && line.trim() !== '' && !line.startsWith('*** End'))
      problems.push(problem('bad_diff', files.at(-1)?.path ?? '', 'a line of this new file does not begin with "+"'));
  }
  return problems.length > 0
    ? { ok: false, problems: problems.slice(0, 20) }
    : {
        ok: true,
        files: files.map((file) => ({ path: file.path, announced: 'stated', content: `${file.lines.join('\n')}\n` })),
      };
}

/** Returns true if a line may be part of a unified diff. */
export const isDiffLine = (line: string): boolean => HEAD.test(line) || /^[-+ \\]/.test(line);

const SEARCH = /^<{5,9} ?(?:SEARCH|ORIGINAL)\b/;
const DIVIDE = /^={5,9}$/;
const REPLACE = /^>{5,9} ?(?:REPLACE|UPDATED)\b/;

export const opensSearch = (line: string): boolean => line.length < LONGEST_MARK && SEARCH.test(line.trim());
export const closesSearch = (line: string): boolean => line.length < LONGEST_MARK && REPLACE.test(line.trim());

/**
 * Reads a SEARCH/REPLACE block. If its search part is empty, it is a new file; any other block is an edit, which is
 * rejected.
 */
export function readSearch(lines: readonly string[], path: string | null): FilesRead {
  const searches = lines.filter(opensSearch).length;
  const open = lines.findIndex(opensSearch);
  const divide = lines.findIndex((line, at) => at > open && DIVIDE.test(line.trim()));
  const close = lines.findIndex((line, at) => at > divide && closesSearch(line));
  const searched = lines.slice(open + 1, divide).filter((line) => line.trim() !== '');
  if (path === null || searches !== 1 || divide < 0 || close < 0 || searched.length > 0)
    return refusing(editProblem(path ?? '', 'a SEARCH/REPLACE block'));
  const text = lines.slice(divide + 1, close);
  return { ok: true, files: [{ path, announced: 'stated', content: text.length === 0 ? '' : `${text.join('\n')}\n` }] };
}
