import { fileText, isSignalLine, LONGEST_MARK, trimmed } from './answer-lines.ts';
import type { FoundFile } from './found.ts';
import { withSlashes } from './info-string.ts';
import { isTalk } from './is-talk.ts';
import { isFileName, isProseFile } from './languages.ts';

/** `=== src/a.ts ===`, `// ----- FILE: src/a.ts -----`, `FILE: src/a.ts`. */
const HEAD =
  /^(?:\/\/|#|--)? *(?:([=#*~-]{3,}) *(?:(?:begin +)?file(?:name)? *:? *)?(\S+) *\1|file(?:name)? *: *(\S+))$/i;
const END = /^(?:\/\/|#|--)? *(?:[=#*~-]{3,} *)?(?:end(?: of)?(?: file)?|eof)\b.{0,200}$/i;

function headOf(line: string): string | null {
  if (line.length > LONGEST_MARK) return null;
  const match = HEAD.exec(line.trim());
  const path = withSlashes(match?.[2] ?? match?.[3] ?? '');
  return isFileName(path) ? path : null;
}

/** What is said after the last file. */
function withoutTalk(path: string, lines: readonly string[]): readonly string[] {
  if (isProseFile(path)) return lines;
  let end = lines.length;
  while (end > 0 && ((lines[end - 1] ?? '').trim() === '' || isTalk(lines[end - 1] ?? ''))) end -= 1;
  return lines.slice(0, end);
}

/** Whole files, one after the other, below lines that name them and without any fence. */
export function filesInListing(lines: readonly string[]): readonly FoundFile[] {
  const files: { readonly path: string; readonly lines: string[] }[] = [];
  let open: string[] | null = null;
  for (const line of lines) {
    const path = headOf(line);
    if (path !== null) files.push({ path, lines: (open = []) });
    else if (open !== null && line.length < LONGEST_MARK && END.test(line.trim())) open = null;
    else if (!isSignalLine(line)) open?.push(line);
  }
  return files.map(({ path, lines: text }) => ({ path, content: fileText(trimmed(withoutTalk(path, text))) }));
}
