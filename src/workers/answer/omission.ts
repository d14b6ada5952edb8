import { diffArrays } from 'diff';
import { LONGEST_MARK } from './answer-lines.ts';
import { type FoundFile, problem, type WriteProblem } from './found.ts';
import { isMarkup, isProseFile } from './languages.ts';

/** Number of consecutive lines of code whose replacement by a comment counts as an omission. */
const RUN = 3;

/** Maximum number of changed lines that are compared. In a larger change, only lines of dots are searched for. */
const MOST_CHANGED = 20_000;
/** Maximum number of pairs of lines within one change that are compared for similarity. */
const MOST_PAIRS = 40_000;

/** Matches lines that consist of a comment, in any common language. A `#` before a word may be a directive. */
const COMMENT =
  /^(?:\/\/|\/\*|\{\s*\/\*|<!--|\(\*|#(?![\w!{[:(-])|#(?=\s*\S*\P{ASCII})|--(?=\s|\[)|;|%|'(?![^']*')|"(?![^"]*")|!(?=\s)|REM\b|@REM\b|::\s|\*\s|\*\/|\{-|dnl\b)/iu;
/** Matches a line in brackets or emphasis that consists of words: `(omitted)`, `[...]`, `<snip>`. */
const BRACKETED = /^[*_]{0,2}(?:\([^()=;]*\)|\[[^[\]=;"']*\]|<[\w\s.…-]+>)[*_]{0,2}[.]?$/;
const DOTS = String.raw`(?:\.{3,}|…|⋮)`;
const ONLY_DOTS = new RegExp(`^[^\\p{L}\\p{N}]*${DOTS}[^\\p{L}\\p{N}]*$`, 'u');
/** Matches a line that begins with dots, after the marks of a comment. */
const FIRST_DOTS = new RegExp(`^[^\\p{L}\\p{N}"'\`]*${DOTS}(?![\\w({[$@])`, 'u');
/** Matches brackets that enclose nothing but a comment or dots: `f() { /* … *\/ }`. */
const EMPTIED = new RegExp(String.raw`[{([]\s*(?:/\*[^*]*\*/|${DOTS})\s*[})\]]`, 'u');
const ONLY_BRACKETS = /^[\s{}()[\],;]*(?:end|fi|done|esac)?[\s;]*$/i;

type Kind = 'code' | 'comment' | 'dots' | 'neutral';

/** Returns a function that says what a line of a file is. In a file with bracketed lines, such a line is code. */
function kindIn(path: string, old: readonly string[]): (line: string) => Kind {
  const isProse = isProseFile(path);
  const hasBracketed = old.some(
    (line) => BRACKETED.test(line.trim()) && !ONLY_BRACKETS.test(line) && !ONLY_DOTS.test(line),
  );
  return (line) => {
    const text = line.trim();
    if (text === '') return 'neutral';
    if (text.length > LONGEST_MARK) return 'code';
    if (ONLY_BRACKETS.test(text)) return 'neutral';
    const isComment = isProse ? text.startsWith('<!--') : COMMENT.test(text);
    const isBracketed = !hasBracketed && BRACKETED.test(text) && !(text.startsWith('<') && isMarkup(path));
    if (ONLY_DOTS.test(text)) return 'dots';
    if ((isComment || isBracketed || text.startsWith('...') || text.startsWith('…')) && FIRST_DOTS.test(text))
      return 'dots';
    return isComment || isBracketed || EMPTIED.test(text) ? 'comment' : 'code';
  };
}

/** A place where lines of the old text are gone, and the lines that came instead. */
interface Change {
  readonly gone: readonly string[];
  readonly come: readonly string[];
}

/** Pairs up the parts of a diff that are next to each other. */
function changesOf(parts: ReturnType<typeof diffArrays<string>>): readonly Change[] {
  const changes: Change[] = [];
  let gone: string[] = [];
  let come: string[] = [];
  for (const { value, added, removed } of [...parts, { value: [], added: false, removed: false }]) {
    if (removed) gone.push(...value);
    else if (added) come.push(...value);
    else {
      if (gone.length + come.length > 0) changes.push({ gone, come });
      [gone, come] = [[], []];
    }
  }
  return changes;
}

const wordsOf = (line: string): ReadonlySet<string> => new Set(line.match(/[\p{L}\p{N}_]+/gu) ?? []);

/** Returns true if two lines share at least half of their words, so that one may be a new version of the other. */
function areSimilar(one: string, other: string): boolean {
  const [left, right] = [wordsOf(one), wordsOf(other)];
  const shared = [...left].filter((word) => right.has(word)).length;
  return shared > 0 && shared * 2 >= Math.max(left.size, right.size);
}

/** Returns true if every line may be a new version of one of the old lines, so that a change is an edit of them. */
const areVersions = (lines: readonly string[], old: readonly string[]): boolean =>
  lines.length * old.length <= MOST_PAIRS && lines.every((line) => old.some((one) => areSimilar(one, line)));

/**
 * Returns the line that stands for omitted lines in this change, or null. A line of dots always does. A comment does if
 * at least `RUN` lines of code are gone without others in their place: there is no new code, or only new versions of
 * old lines, or the comment does not stand above new code.
 */
function standInOf({ gone, come }: Change, kindOf: (line: string) => Kind): string | null {
  const old = new Set(gone.map((line) => line.trim()));
  const fresh = come.filter((line) => !old.has(line.trim()));
  if (gone.length === 0) return null;
  const dots = fresh.find((line) => kindOf(line) === 'dots');
  if (dots !== undefined) return dots;
  const [lost, made] = [gone, fresh].map((lines) => lines.filter((line) => kindOf(line) === 'code'));
  const comments = fresh.filter((line) => kindOf(line) === 'comment');
  const [comment] = comments;
  if (comment === undefined || lost === undefined || made === undefined || lost.length - made.length < RUN) return null;
  if (made.length === 0 || areVersions(made, lost)) return comment;
  return kindOf(come.findLast((line) => kindOf(line) !== 'neutral') ?? '') === 'comment'
    ? (comments.at(-1) ?? null)
    : null;
}

/** Returns the line of a new file that stands for omitted text: a comment that is or begins with dots, or dots alone. */
function standInOfNew(path: string, lines: readonly string[]): string | null {
  if (isProseFile(path) || /\.(?:ya?ml|csv|tsv)$/i.test(path)) return null;
  const kindOf = kindIn(path, []);
  const found = lines.find((line, at) => {
    const text = line.trim();
    if (text.length > LONGEST_MARK || kindOf(line) !== 'dots') return false;
    const before = lines.slice(0, at).findLast((one) => one.trim() !== '') ?? '';
    const isBody = /(?::|"""|''')\s*(?:#.*)?$/.test(before);
    if (ONLY_DOTS.test(text)) return COMMENT.test(text) || !(/\.pyi?$/.test(path) && isBody);
    return COMMENT.test(text) && /^[^\p{L}\p{N}"'`]*(?:\.{3,}|…)/u.test(text) && kindOf(before) !== 'comment';
  });
  return found?.trim() ?? null;
}

/** Returns the line of a replacement that stands for omitted lines of the old text, or null. */
function standInOfChanged(path: string, old: readonly string[], lines: readonly string[]): string | null {
  const kindOf = kindIn(path, old);
  const known = new Set(old.map((line) => line.trim()));
  if (!lines.some((line) => kindOf(line) !== 'code' && kindOf(line) !== 'neutral' && !known.has(line.trim())))
    return null;
  const parts = diffArrays([...old], [...lines], { maxEditLength: MOST_CHANGED });
  if (parts === undefined)
    return lines.find((line) => kindOf(line) === 'dots' && !known.has(line.trim()))?.trim() ?? null;
  const found = changesOf(parts).map((change) => standInOf(change, kindOf));
  return found.find((line) => line !== null)?.trim() ?? null;
}

const written = (text: string): readonly string[] => text.split(/\r?\n/).filter((line) => line.trim() !== '');

const sizeOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.trim().length, 0);

/** Returns true if a new text begins and ends like the old one, so that it is not a part of it. */
function keepsEnds(before: readonly string[], after: readonly string[]): boolean {
  const [first, last] = [before[0]?.trim(), before.at(-1)?.trim()];
  return first !== undefined && after.some((line) => line.trim() === first) && after.at(-1)?.trim() === last;
}

/**
 * Returns why a text is not the complete new text of its file, or null. `old` is the file's text now, or null if there
 * is no file. With `mayShorten`, it may lose more than half of its text.
 */
export function whyIncomplete(
  { path, content, announced }: FoundFile,
  old: string | null,
  mayShorten: boolean,
): WriteProblem | null {
  const [before, after] = [written(old ?? ''), written(content)];
  const standIn = old === null ? standInOfNew(path, after) : standInOfChanged(path, before, after);
  if (standIn !== null)
    return problem(
      'placeholder',
      path,
      `the line ${JSON.stringify(standIn.slice(0, 100))} stands for lines that are left out. Write the whole file, with every line; if lines are removed on purpose, put nothing in their place`,
    );
  if (
    announced === 'changed'
      ? old === null || !keepsEnds(before, after)
      : announced === 'described' && old !== null && !keepsEnds(before, after)
  )
    return problem(
      'excerpt',
      path,
      'it is unclear whether the block below its name is the whole file. If it is, put the path into the fence',
    );
  const dropsHalf = after.length * 2 < before.length || sizeOf(after) * 2 < sizeOf(before);
  return dropsHalf && !mayShorten
    ? problem(
        'lazy_rewrite',
        path,
        `it would remove more than half of the file (${before.length} lines now, ${after.length} in the answer). Write the whole file, including the unchanged lines`,
      )
    : null;
}
