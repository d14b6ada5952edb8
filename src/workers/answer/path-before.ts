import { LONGEST_MARK } from './answer-lines.ts';
import { isFileName } from './languages.ts';
import { withSlashes } from './info-string.ts';

/** The path that the text around a block assigns to the block. */
export interface Naming {
  readonly path: string;
  /**
   * The source of the path: `mark` is a heading or label, `prose` a sentence with a verb such as "create", `mention` a
   * sentence that only mentions the file.
   */
  readonly by: 'mark' | 'prose' | 'mention';
  /** True if the text announces only a part of the file. */
  readonly isPart: boolean;
}

/** Matches marks of headings, lists and quotes at the beginning of a line: `#`, `-`, `1.`, `>`, in any number. */
const LEAD = /^(?:#{1,6} +|[-*+•] +|\d{1,3}[.)] +|> *)+/;
const LABEL =
  /^(?:(?:new|updated|modified|changed|create|created|update|modify|full|complete|the) +)*(?:(?:file *name|file *path|file|path|filename) *)?[:：] +/i;
const VERB = /^(?:create|new|updated?|modify|modified|rewrite|full|complete) +/i;
/** Matches a remark after a name, such as `(new)` or `— the entry point`. */
const REMARK = /(?<! )(?: *\([^()]*\)| +[—–-]+ .*)$/s;

/** Matches words that announce only a part of a file. */
const PART =
  /\b(?:add|insert|append|prepend|change|modify|remove|delete|lines?|snippet|excerpt|after|before|inside|within|section|part of|only the|relevant|at the (?:top|bottom|end|start))\b/i;

/** Removes the given characters from the end of a text. A regular expression would backtrack on long runs of them. */
function withoutEnd(text: string, chars: string): string {
  let end = text.length;
  while (end > 0 && chars.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

const withoutMarks = (text: string): string => withoutEnd(text.replace(/^[*_`"'“]+/, ''), '*_`"\'”');

const withoutColon = (text: string): string => withoutEnd(text, ':：');

/** Returns the only file name in a list of words, or null if there are none or several. */
function onlyName(names: readonly string[]): string | null {
  const found = new Set(names.map(withSlashes).filter(isFileName));
  const [one] = found;
  return found.size === 1 && one !== undefined ? one : null;
}

const quotedNames = (text: string): readonly string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

/** Returns the path of a line that holds only a path with an optional label or remark, or null. */
function nameAlone(line: string): string | null {
  const plain = line.replace(LEAD, '').replaceAll('**', '').replace(LEAD, '');
  const bare = withoutColon(plain).trimEnd();
  for (const text of [bare, bare.replace(REMARK, '')]) {
    const unmarked = withoutColon(withoutMarks(text.trim()));
    const name = withoutMarks(unmarked.replace(LABEL, '').replace(VERB, ''));
    if (!/\s/.test(name) && isFileName(withSlashes(name))) return withSlashes(name);
  }
  return null;
}

/** Matches a list item that describes a file, such as `` - **`src/a.ts`**: the types ``. */
const LISTED = /^(?:[-*+•]|\d{1,3}[.)]) +(?:\*\*)?`([^`]+)`(?:\*\*)?[:：](?:\*\*)? +\S/;

/**
 * Matches a heading such as "Register the route in `x`", which describes a change in the file but may not announce its
 * whole text.
 */
const IS_PLACE = /\b(?:in|to|from|into|inside|within|of|for)\s+\uE000/i;

/** Returns true for a heading, bold line, list item or label, which describes the block that follows. */
const isMark = (line: string): boolean =>
  LEAD.test(line) || /^\*\*.*\*\*:?$/.test(line) || LABEL.test(withoutMarks(line));

/** Returns the file that the line before a block names, or null. */
export function namedBy(before: string): Naming | null {
  if (before.length > LONGEST_MARK || !/[A-Za-z]/.test(before)) return null;
  const line = before
    .trim()
    .replace(/^<summary>(.*)<\/summary>$/i, '$1')
    .replace(/<\/?(?:b|strong|code|em)>/g, '`');
  const alone = nameAlone(line);
  if (alone !== null)
    return { path: alone, by: 'mark', isPart: /\([^()]*\b(?:lines?|partial|excerpt|snippet)\b/i.test(line) };
  const listed = LISTED.exec(line)?.[1];
  if (listed !== undefined && isFileName(withSlashes(listed)))
    return { path: withSlashes(listed), by: 'mark', isPart: false };
  const path = onlyName(quotedNames(line)) ?? (/^#{1,6} /.test(line) ? onlyName(line.split(/[\s,]+/)) : null);
  if (path === null) return null;
  const isPart = PART.test(line.replaceAll(/`[^`]*`/g, ''));
  const isMade = makes(line, path);
  if (isMark(line))
    return (isHeading(line) && !IS_PLACE.test(signed(line, path))) || isMade
      ? { path, by: 'mark', isPart: isPart && !isWhole(line) }
      : { path, by: isPart ? 'prose' : 'mention', isPart };
  return { path, by: isPart || isMade ? 'prose' : 'mention', isPart: isPart && !isWhole(line) };
}

/** A private-use character that replaces the file's name in a sentence before it is matched. */
const NAME_SIGN = '\uE000';

/** Patterns for sentences that announce a file. The character U+E000 replaces the file's name. */
const MAKING: readonly RegExp[] = [
  // Matches "Create `x`", "I've rewritten the parser in `x`", "Save this as `x`".
  /\b(?:creat|writ|wrote|rewrit|rewrote|sav|stor|put|plac|replac|overwrit|updat|implement|generat|refactor)\w*\b[^.!?\uE000]{0,80}\uE000/i,
  // Matches "Here is `x`", "Below is the full code of `x`".
  /\b(?:here|this|these|below|following|next|then|now|first|second|third|finally|lastly|and|also|afterwards)\b[^.!?\uE000]{0,30}?(?:\b(?:is|are|comes?|goes)\b|['’]s\b)[^.!?\uE000]{0,60}\uE000/i,
  // Matches "Contents of `x`", "The complete code for `x`".
  /\b(?:contents?|code|source|version|implementation|text)\b[ :]+(?:of|for|in)\b[ ]+(?:the\b[ ]+)?(?:(?:new|updated|file|module)\b[ ]+)*\uE000/i,
  // Matches "The full version: `x`" and "A new file, `x`:" at the end of a sentence.
  /\b(?:contents?|code|source|version|implementation|updated|complete|full|new file)\b[:,]? *\uE000[ ]*[:：]?$/i,
  // Matches "Next, `x`:", "And `x`:", "Then `x` with the routes:".
  /^(?:(?:and|then|next|now|first|second|third|finally|lastly|also|new file|new|updated?|full|complete|for)\b[,: ]*)+(?:the\b[ ]+)?\uE000[ ]*(?:\([^()]*\))?[ ]*[:：.]?$/i,
  // Matches "`x` should look like this", "`x` becomes".
  /\uE000[^.!?]{0,20}\b(?:should (?:now )?(?:look|contain|be|read)|must (?:contain|be)|now (?:looks|reads|becomes|contains))\b/i,
  // Matches "The fixed `x`:", "The store (`x`):".
  /^(?:the\b[ ]+)?(?:fixed|corrected|updated|new|final|full|complete|revised|modified|refactored|rewritten)\b[ ]+\uE000[ ]*[:：]?$/i,
  /^(?:add|make)\b[ ]+(?:(?:a|an|the|new|another|file|module|test|component|named|called)\b[ ]+)*\uE000/i,
];

/** Matches nouns and verbs of sentences that show something other than a file's text. */
const OTHER =
  /\b(?:errors?|bugs?|problems?|issues?|warnings?|trace|traceback|exceptions?|outputs?|logs?|usage|used?|uses|using|examples?|snippets?|excerpts?|old|original|previous|current|existing|unchanged|similar|called|calls|call|imports?|fails?|failing|looked|noticed|before|how)\b/i;

/**
 * Returns true if a sentence announces the file. The words between its verb and the name must not refer to something
 * else.
 */
function makes(line: string, path: string): boolean {
  const marked = signed(line, path);
  return MAKING.some((pattern) => {
    const found = pattern.exec(marked);
    if (found === null) return false;
    const end = found.index + found[0].indexOf(NAME_SIGN);
    const upTo = marked
      .slice(found.index, end)
      .replace(/^\w+/, '')
      .replace(/\b(?:called|named)\s*$/i, '');
    const rest = marked.slice(end + 1).trim();
    return !OTHER.test(upTo) && !OF_A_PART.test(upTo) && !isDenied(marked.slice(0, found.index)) && GOES_ON.test(rest);
  });
}

/**
 * Matches phrases about a part of a file or about something related to it: "The `handle` function in `x`", "a test for
 * `x`".
 */
const OF_A_PART =
  /\b(?:(?:function|method|class|section|part|block|handler|line|field|option|entry|value|property|type|interface|import|route)s?\b[^.!?]*\b(?:in|of|from|for|to|inside|within)|(?:tests?|specs?|docs?|documentation|types)\b[^.!?]*\b(?:for|of))\s*$/i;

/**
 * Matches the text that may follow the name. If a verb follows, the sentence makes another statement about the file.
 */
const GOES_ON =
  /^$|^[:：.,;!)(—–-]|^(?:with|that|so|which|including|to|for|as|using|after|and|where|file|now|should|must|again|here|below|code|module|component|in|by|from|instead|—)\b/i;

/** Returns true if the text before a match negates it or makes it conditional, as in "would be" or "could save". */
const isDenied = (text: string): boolean =>
  /\b(?:would|could|might|can|not|never|don['’]t|if|when|left|leave)\b[^.!?,]{0,40}$/i.test(text);

/** Replaces the file's name in a line by U+E000, and removes Markdown marks. */
const signed = (line: string, path: string): string =>
  line
    .replaceAll(/`([^`]+)`/g, (all, name: string) => (withSlashes(name) === path ? NAME_SIGN : all))
    .replaceAll(path, NAME_SIGN)
    .replaceAll(/[*_]{2}/g, '')
    .replace(LEAD, '')
    .trim();

const isHeading = (line: string): boolean => /^#{1,6} /.test(line) || /^\*\*.*\*\*:?$/.test(line);

/**
 * Returns true for phrases such as "The full file after the change", which announce the whole file regardless of the
 * other words.
 */
const isWhole = (line: string): boolean =>
  /\b(?:full|complete|entire|whole|final)\b[^.!?]{0,30}\b(?:file|code|contents?|version|source|text|implementation)\b/i.test(
    line,
  ) || /^(?:#{1,6} +|\d+[.)] +|\*\*)*add (?:(?:a|an|the|new|file|module|test) )*`[^`]+`(?:\*\*)?[:：.]?$/i.test(line);

const COMMENT = /^(?:\/\/+|#+|--|;+|%+|\/\*+|<!--|\{\/\*|\(\*|REM |""")/i;
const COMMENT_END = /(?:\*\/\}?|-->|\*\)|""")$/;
const COMMENT_LABEL = /^(?:file *name|file *path|file|path)\s*[:=]/i;
const COMMENT_REMARK = /\((?:new|updated|modified|complete|full)[^()]*\)$/i;

/**
 * Returns the text of a comment line if it is a single word, or an empty string. It works in steps, because a single
 * pattern would backtrack on long lines.
 */
function commented(line: string): string {
  const bare = line.trim();
  const open = COMMENT.exec(bare)?.[0];
  if (open === undefined) return '';
  const text = bare.slice(open.length).trim().replace(COMMENT_END, '').trim();
  const word = text.replace(COMMENT_LABEL, '').trim().replace(COMMENT_REMARK, '').trim();
  if (!/\s/.test(word)) return word;
  // A path with a folder may be followed by a remark, as in `// src/a.ts - the parser`.
  const [first = '', sign = ''] = word.split(/\s+/, 2);
  return first.includes('/') && /^(?:[-–—]|--|\()/.test(sign) ? first : '';
}

const KEEPS_FIRST = /^(?:#!|<\?php|<\?xml|["']use (?:client|server|strict)["']|<!doctype)/i;

/** Returns the path in a comment at the top of a block, and the index of its line. Returns null if there is none. */
export function namedInside(lines: readonly string[]): { readonly path: string; readonly line: number } | null {
  const first = lines.findIndex((line) => line.trim() !== '');
  if (first < 0) return null;
  const line = KEEPS_FIRST.test(lines[first] ?? '') ? first + 1 : first;
  const text = lines[line] ?? '';
  if (text.length > LONGEST_MARK) return null;
  const word = withSlashes(commented(text));
  return isFileName(word) ? { path: word, line } : null;
}
