import { LONGEST_MARK } from './answer-lines.ts';
import { problem, type WriteProblem } from './found.ts';

/**
 * Two patterns for comment marks, brackets and quotes around the words of a line. They are separate, because a single
 * pattern would backtrack on long lines.
 */
const BEFORE = /^(?:\/\/+|#+|--+|;+|%+|\/\*+|\*+|<!--|\{\/\*|\(\*|'|REM\b|\[|<|\()/i;
const AFTER = /(?:\*\/\}?|-->|\*\)|\]|>|\))$/;

const wordsOf = (line: string): string => line.trim().replace(BEFORE, '').replace(AFTER, '').trim();

const IS_COMMENT = /^\s*(?:\/\/|#|--|;|%|\/\*|\*|<!--|\{\/\*|\(\*|REM\b)/i;
const DOTS = /\.{3,}|…/;

/** Words that, together with dots in the same line, mean that code was left out. */
const LEFT_OUT =
  /\b(?:rest|remaining|remainder|existing|unchanged|same|previous|other|others|omitted|original|as before|truncated|snip(?:ped)?|keep|kept|code|implementation|methods?|functions?|imports?|etc|more|continues?|here)\b/i;
/** Words that mean that code was left out, even without dots. */
const SURELY =
  /\b(?:rest of (?:the |your |this )?(?:file|code|class|function|component|implementation|module|script|tests?|methods?|imports?|styles?|content)|(?:existing|previous|original|remaining|other) (?:code|methods?|functions?|imports?|tests?|implementation|content|lines?|props|routes|fields|styles|logic)\b.{0,60}\b(?:unchanged|here|remains?|stays?|same|omitted|as before|continues?)|(?:remains?|stays?) (?:the same|unchanged|as (?:it )?(?:is|was|before))|(?:code|section|part|content|lines?) (?:omitted|unchanged|truncated)|unchanged (?:code|section|part|lines?)|same as (?:before|above|the original)|for brevity)\b/i;

function isPlaceholder(line: string): boolean {
  if (line.length > LONGEST_MARK) return false;
  const isComment = IS_COMMENT.test(line);
  const words = wordsOf(line);
  if (DOTS.test(words)) {
    const rest = words.replaceAll(/\.{3,}|…/g, ' ').trim();
    if (rest === '') return isComment;
    const isAtAnEdge = /^(?:\.{3,}|…)|(?:\.{3,}|…)$/.test(words);
    const isBracketed = /^\s*[[<(]/.test(line);
    return (
      isAtAnEdge &&
      (isComment || isBracketed || /^(?:\.{3,}|…)\s/.test(words)) &&
      LEFT_OUT.test(rest) &&
      !/[=;{}]/.test(rest)
    );
  }
  return (isComment || /^\s*[[<(]/.test(line)) && SURELY.test(words) && /^[^=;{}"]*$/.test(words);
}

const written = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const sizeOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length, 0);

/**
 * Returns the first line that marks an omission, such as `// rest of the file`, and is not in the old text. Returns
 * null if there is none.
 */
function placeholderIn(old: readonly string[], text: readonly string[]): string | null {
  const known = new Set(old);
  return text.find((line) => isPlaceholder(line) && !known.has(line)) ?? null;
}

/**
 * Returns a problem if the new text of a file contains a placeholder, or loses more than half of the old text without
 * permission (`mayShorten`). Returns null otherwise.
 */
export function lazyRewrite(path: string, old: string, text: string, mayShorten: boolean): WriteProblem | null {
  const [before, after] = [written(old), written(text)];
  const placeholder = placeholderIn(before, after);
  if (placeholder !== null)
    return problem(
      'placeholder',
      path,
      `the line ${JSON.stringify(placeholder.slice(0, 100))} is a placeholder for omitted code. Write the whole file, with every line`,
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
