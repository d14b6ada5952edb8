import { LONGEST_MARK } from './answer-lines.ts';
import { isFileName } from './languages.ts';
import { withSlashes } from './info-string.ts';

/** A path that the text around a block gives it. */
export interface Naming {
  readonly path: string;
  /** `mark`: a heading or a label; `prose`: a sentence that brings the file; `mention`: one that only speaks of it. */
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

/** `Sure!`, `Okay, ` */
const GREETING = /^(?:[\p{L}' ]{1,40}[!.,:] +)+/u;

const INTRO =
  /^(?:here|this|these|below|now|next|then|finally|first|second|and|i['’ ]|create|updat|new|full|complete|the |let['’ ]|content|save|write|put|replace the (?:whole|entire|content)|file)/i;

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
  const bare = withoutColon(line.replace(LEAD, '')).trimEnd();
  for (const text of [bare, bare.replace(REMARK, '')]) {
    const unmarked = withoutColon(withoutMarks(text.trim()));
    const name = withoutMarks(unmarked.replace(LABEL, '').replace(VERB, ''));
    if (!/\s/.test(name) && isFileName(withSlashes(name))) return withSlashes(name);
  }
  return null;
}

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
  if (alone !== null) return { path: alone, by: 'mark', isPart: false };
  const path = onlyName(quotedNames(line)) ?? (/^#{1,6} /.test(line) ? onlyName(line.split(/[\s,]+/)) : null);
  if (path === null) return null;
  const isPart = PART.test(line.replaceAll(/`[^`]*`/g, ''));
  if (isMark(line)) return { path, by: 'mark', isPart };
  return { path, by: isPart || INTRO.test(line.replace(GREETING, '')) ? 'prose' : 'mention', isPart };
}

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
  return /\s/.test(word) ? '' : word;
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
