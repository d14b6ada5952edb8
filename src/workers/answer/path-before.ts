import { LONGEST_MARK } from './answer-lines.ts';
import { isFileName } from './languages.ts';
import { withSlashes } from './info-string.ts';

/** A path that the text around a block gives it. */
export interface Naming {
  readonly path: string;
  /** `mark`: a heading or a label; `prose`: a sentence with a verb of making; `mention`: one that only speaks of the file. */
  readonly by: 'mark' | 'prose' | 'mention';
  /** The words say that a part of the file follows. */
  readonly isPart: boolean;
}

/** `#`, `-`, `1.`, `>`, in any number. */
const LEAD = /^(?:#{1,6} +|[-*+•] +|\d{1,3}[.)] +|> *)+/;
const LABEL =
  /^(?:(?:new|updated|modified|changed|create|created|update|modify|full|complete|the) +)*(?:(?:file *name|file *path|file|path|filename) *)?[:：] +/i;
const VERB = /^(?:create|new|updated?|modify|modified|rewrite|full|complete) +/i;
/** `(new)`, `— the entry point`. */
const REMARK = /(?<! )(?: *\([^()]*\)| +[—–-]+ .*)$/s;

/** Words of somebody who shows only a part. */
const PART =
  /\b(?:add|insert|append|prepend|change|modify|remove|delete|lines?|snippet|excerpt|after|before|inside|within|section|part of|only the|relevant|at the (?:top|bottom|end|start))\b/i;

/** Without these characters at its end; a pattern would try each of a long run as the first one. */
function withoutEnd(text: string, chars: string): string {
  let end = text.length;
  while (end > 0 && chars.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

const withoutMarks = (text: string): string => withoutEnd(text.replace(/^[*_`"'“]+/, ''), '*_`"\'”');

const withoutColon = (text: string): string => withoutEnd(text, ':：');

/** The one file name in a text; null: none, or several. */
function onlyName(names: readonly string[]): string | null {
  const found = new Set(names.map(withSlashes).filter(isFileName));
  const [one] = found;
  return found.size === 1 && one !== undefined ? one : null;
}

const quotedNames = (text: string): readonly string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

/** All there is on the line is a path, with a label or a remark. */
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

/** `- **\`src/a.ts\`**: the types`. */
const LISTED = /^(?:[-*+•]|\d{1,3}[.)]) +(?:\*\*)?`([^`]+)`(?:\*\*)?[:：](?:\*\*)? +\S/;

/** "### Register the route in `x`": something happens in the file, which need not come whole. */
const IS_PLACE = /\b(?:in|to|from|into|inside|within|of|for)\s+\uE000/i;

/** Heading, bold line, list mark or label: the line stands for what follows. */
const isMark = (line: string): boolean =>
  LEAD.test(line) || /^\*\*.*\*\*:?$/.test(line) || LABEL.test(withoutMarks(line));

/** Which file the line before a block names. */
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

/** The name in a sentence, as it is written there. */
const NAME_SIGN = '\uE000';

/** What a sentence does that brings a file: the sign stands for its name. */
const MAKING: readonly RegExp[] = [
  // "Create `x`", "I've rewritten the parser in `x`", "Save this as `x`".
  /\b(?:creat|writ|wrote|rewrit|rewrote|sav|stor|put|plac|replac|overwrit|updat|implement|generat|refactor)\w*\b[^.!?\uE000]{0,80}\uE000/i,
  // "Here is `x`", "Below is the full code of `x`".
  /\b(?:here|this|these|below|following|next|then|now|first|second|third|finally|lastly|and|also|afterwards)\b[^.!?\uE000]{0,30}?(?:\b(?:is|are|comes?|goes)\b|['’]s\b)[^.!?\uE000]{0,60}\uE000/i,
  // "Contents of `x`", "The complete code for `x`".
  /\b(?:contents?|code|source|version|implementation|text)\b[ :]+(?:of|for|in)\b[ ]+(?:the\b[ ]+)?(?:(?:new|updated|file|module)\b[ ]+)*\uE000/i,
  // "The full version: `x`", "A new file, `x`:" at the end of the sentence.
  /\b(?:contents?|code|source|version|implementation|updated|complete|full|new file)\b[:,]? *\uE000[ ]*[:：]?$/i,
  // "Next, `x`:", "And `x`:", "Then `x` with the routes:".
  /^(?:(?:and|then|next|now|first|second|third|finally|lastly|also|new file|new|updated?|full|complete|for)\b[,: ]*)+(?:the\b[ ]+)?\uE000[ ]*(?:\([^()]*\))?[ ]*[:：.]?$/i,
  // "`x` should look like this", "`x` becomes".
  /\uE000[^.!?]{0,20}\b(?:should (?:now )?(?:look|contain|be|read)|must (?:contain|be)|now (?:looks|reads|becomes|contains))\b/i,
  // "The fixed `x`:", "The store (`x`):".
  /^(?:the\b[ ]+)?(?:fixed|corrected|updated|new|final|full|complete|revised|modified|refactored|rewritten)\b[ ]+\uE000[ ]*[:：]?$/i,
  /^(?:add|make)\b[ ]+(?:(?:a|an|the|new|another|file|module|test|component|named|called)\b[ ]+)*\uE000/i,
];

/** Nouns and verbs that show something other than the text of a file. */
const OTHER =
  /\b(?:errors?|bugs?|problems?|issues?|warnings?|trace|traceback|exceptions?|outputs?|logs?|usage|used?|uses|using|examples?|snippets?|excerpts?|old|original|previous|current|existing|unchanged|similar|called|calls|call|imports?|fails?|failing|looked|noticed|before|how)\b/i;

/** Words between the verb of making and the name must not speak of something else. */
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

/** "The `handle` function in `x`", "a test for `x`": what is inside of the file, or about it. */
const OF_A_PART =
  /\b(?:(?:function|method|class|section|part|block|handler|line|field|option|entry|value|property|type|interface|import|route)s?\b[^.!?]*\b(?:in|of|from|for|to|inside|within)|(?:tests?|specs?|docs?|documentation|types)\b[^.!?]*\b(?:for|of))\s*$/i;

/** What may follow the name; a verb makes the file the subject of something else. */
const GOES_ON =
  /^$|^[:：.,;!)(—–-]|^(?:with|that|so|which|including|to|for|as|using|after|and|where|file|now|should|must|again|here|below|code|module|component|in|by|from|instead|—)\b/i;

/** "would be", "could save": nothing is brought. */
const isDenied = (text: string): boolean =>
  /\b(?:would|could|might|can|not|never|don['’]t|if|when|left|leave)\b[^.!?,]{0,40}$/i.test(text);

/** With the sign in the place of the name, without the marks of Markdown. */
const signed = (line: string, path: string): string =>
  line
    .replaceAll(/`([^`]+)`/g, (all, name: string) => (withSlashes(name) === path ? NAME_SIGN : all))
    .replaceAll(path, NAME_SIGN)
    .replaceAll(/[*_]{2}/g, '')
    .replace(LEAD, '')
    .trim();

const isHeading = (line: string): boolean => /^#{1,6} /.test(line) || /^\*\*.*\*\*:?$/.test(line);

/** "The full file after the change": all of it comes, whatever else the words say. */
const isWhole = (line: string): boolean =>
  /\b(?:full|complete|entire|whole|final)\b[^.!?]{0,30}\b(?:file|code|contents?|version|source|text|implementation)\b/i.test(
    line,
  ) || /^(?:#{1,6} +|\d+[.)] +|\*\*)*add (?:(?:a|an|the|new|file|module|test) )*`[^`]+`(?:\*\*)?[:：.]?$/i.test(line);

const COMMENT = /^(?:\/\/+|#+|--|;+|%+|\/\*+|<!--|\{\/\*|\(\*|REM |""")/i;
const COMMENT_END = /(?:\*\/\}?|-->|\*\)|""")$/;
const COMMENT_LABEL = /^(?:file *name|file *path|file|path)\s*[:=]/i;
const COMMENT_REMARK = /\((?:new|updated|modified|complete|full)[^()]*\)$/i;

/** All that a comment says, if it is one word; step by step, since one pattern would try a long line in every way. */
function commented(line: string): string {
  const bare = line.trim();
  const open = COMMENT.exec(bare)?.[0];
  if (open === undefined) return '';
  const text = bare.slice(open.length).trim().replace(COMMENT_END, '').trim();
  const word = text.replace(COMMENT_LABEL, '').trim().replace(COMMENT_REMARK, '').trim();
  if (!/\s/.test(word)) return word;
  // `// src/a.ts - the parser`: a name with a folder, and a remark.
  const [first = '', sign = ''] = word.split(/\s+/, 2);
  return first.includes('/') && /^(?:[-–—]|--|\()/.test(sign) ? first : '';
}

const KEEPS_FIRST = /^(?:#!|<\?php|<\?xml|["']use (?:client|server|strict)["']|<!doctype)/i;

/** The path in a comment at the top of a block, and on which line it is. */
export function namedInside(lines: readonly string[]): { readonly path: string; readonly line: number } | null {
  const first = lines.findIndex((line) => line.trim() !== '');
  if (first < 0) return null;
  const line = KEEPS_FIRST.test(lines[first] ?? '') ? first + 1 : first;
  const text = lines[line] ?? '';
  if (text.length > LONGEST_MARK) return null;
  const word = withSlashes(commented(text));
  return isFileName(word) ? { path: word, line } : null;
}
