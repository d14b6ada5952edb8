import { fileText, isSignalLine, LONGEST_MARK, trimmed } from './answer-lines.ts';
import { type FoundFile, problem, type Reading, refusing } from './found.ts';
import { withSlashes } from './info-string.ts';
import { isTalk, looksLikeCode } from './is-talk.ts';
import { isFileName, isProseFile } from './languages.ts';

/** Matches a rule such as `===` or `// -----`, and the text after it. */
const RULED = /^(\/\/|#(?!#)|--(?!-))? *(([=#*~-])\3{2,})([^]*)$/;
const NAMED = /^(?:(?:begin +)?file(?:name)?(?: *: *| +))?(\S+)$/i;
/** Matches a label such as `FILE: src/a.ts`. */
const LABELLED = /^(?:\/\/|#|--)? *file(?:name)? *: *(\S+)$/i;
const ENDED = /^(?:end(?: of)?(?: file)?|eof)(?:(?: *: *| +)\S+)?$/i;

interface Ruled {
  /** The comment mark and the character that the rules consist of. */
  readonly style: string;
  readonly text: string;
}

/** Returns the text between two equal rules on one line, or null. */
function betweenRules(line: string): Ruled | null {
  const [, lead = '', rule, char = '', rest = ''] = RULED.exec(line) ?? [];
  if (rule === undefined || !rest.endsWith(rule)) return null;
  return { style: lead + char, text: rest.slice(0, -rule.length).trim() };
}

type Mark = { readonly path: string; readonly style: string | null } | { readonly end: string };

/**
 * Reads a line that begins or ends a file. Examples: `=== src/a.ts ===`, `// ----- FILE: src/a.ts -----`, `FILE:
 * src/a.ts`, `// ----- END FILE -----`.
 */
function markOf(line: string): Mark | null {
  if (line.length > LONGEST_MARK) return null;
  const bare = line.trim();
  const ruled = betweenRules(bare);
  if (ruled !== null && ENDED.test(ruled.text)) return { end: ruled.style };
  const said = ruled === null ? LABELLED.exec(bare) : NAMED.exec(ruled.text);
  const path = withSlashes(said?.[1] ?? '');
  return isFileName(path) ? { path, style: ruled?.style ?? null } : null;
}

/** Removes a closing paragraph of prose after the code of the last file. */
function withoutTalk(path: string, lines: readonly string[]): readonly string[] {
  if (isProseFile(path)) return lines;
  const isSaid = (line: string): boolean =>
    line.trim() === '' || isSignalLine(line) || (/^\S/.test(line) && isTalk(line));
  const end = lines.findLastIndex((line) => !isSaid(line)) + 1;
  return (lines[end] ?? '').trim() === '' && looksLikeCode(lines.slice(0, end)) ? lines.slice(0, end) : lines;
}

const isNothing = (line: string): boolean => line.trim() === '' || isSignalLine(line) || isTalk(line);

interface ListedFile {
  readonly path: string;
  readonly style: string | null;
  readonly lines: string[];
  /** Lines after the file's end mark that are neither blank nor prose. They make the answer ambiguous. */
  readonly after: string[];
}

/** Reads whole files without fences, each below a line that names it. Returns null if no line names a file. */
export function readListing(lines: readonly string[]): Reading | null {
  const files: ListedFile[] = [];
  let isOpen = false;
  for (const line of lines) {
    const mark = markOf(line);
    const file = files.at(-1);
    if (mark !== null && 'path' in mark) {
      files.push({ ...mark, lines: [], after: [] });
      isOpen = true;
    } else if (isOpen && mark !== null && mark.end === file?.style) isOpen = false;
    else if (isOpen) file?.lines.push(line);
    else if (!isNothing(line)) file?.after.push(line);
  }
  if (files.length === 0) return null;
  const unclear = files.filter(({ after }) => after.length > 0);
  if (unclear.length > 0)
    return refusing(
      ...unclear.map(({ path }) =>
        problem(
          'ambiguous',
          path,
          'it is unclear whether the lines after its end mark belong to it. Put each file in a fence',
        ),
      ),
    );
  const read = ({ path, lines: text }: ListedFile): FoundFile => ({
    path,
    content: fileText(trimmed(withoutTalk(path, text))),
  });
  return { ok: true, files: files.map(read) };
}
