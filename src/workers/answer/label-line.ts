import { LONGEST_MARK } from './answer-lines.ts';
import { withSlashes } from './info-string.ts';
import { isFirm, PATH_SIGN, sayingOf } from './label-words.ts';
import { isFileName, isQuotedPath, isSurelyFile } from './languages.ts';

/** What a line of prose says of the block below it. */
export type Label =
  /** The line announces the text of a file, or a change of it, and nothing else. */
  | { readonly kind: 'file' | 'change'; readonly path: string }
  /** The line announces text without naming its file: "Here is the complete code:". */
  | { readonly kind: 'announcement' }
  /** The line says that the block is no file: "Usage:". */
  | { readonly kind: 'example' }
  /** The line mentions files, and says more than is understood. */
  | { readonly kind: 'mention'; readonly paths: readonly string[] }
  /** The line mentions no file. `isDescription` is true for a sentence that ends with a full stop. */
  | { readonly kind: 'prose'; readonly isDescription: boolean };

/** Full-width punctuation and its usual form. */
const WIDE: Readonly<Record<string, string>> = {
  '：': ':',
  '，': ',',
  '、': ',',
  '。': '.',
  '（': '(',
  '）': ')',
  '【': '[',
  '】': ']',
  '「': '"',
  '」': '"',
  '『': '"',
  '』': '"',
  '！': '!',
  '；': ';',
  '\u3000': ' ',
};

/** Converts marks that do not change the meaning of a line: full-width signs, HTML tags, links, Markdown escapes. */
const plain = (line: string): string =>
  line
    .trim()
    .replaceAll(/[：，、。（）【】「」『』！；\u3000]/g, (sign) => WIDE[sign] ?? sign)
    .replace(/^<!--(.*)-->$/, '$1')
    .replaceAll(/<\/?code>/gi, '`')
    .replaceAll(/<\/?(?:summary|details|b|strong|em|i|h[1-6]|p|br)\s*\/?>/gi, ' ')
    .replaceAll(/\[([^[\]()]+)\]\(([^()]+)\)/g, (all, text: string, target: string) =>
      target.replaceAll('`', '').endsWith(text.replaceAll('`', '')) ? text : all,
    )
    .replaceAll(/\\([_*`#[\]()-])/g, '$1');

/** Matches marks around a word. Brackets are handled separately, since they may be a part of a path. */
const EDGES = /^[*_"'“”„«‘#]+(?=.*[^_]$)|^[*"'“”„«‘#]+|[*"'“”»’,;:!?]+$/g;

/** Removes marks of prose around a path. */
function bareWord(word: string): string {
  let bare = word;
  for (let round = 0; round < 3; round += 1) {
    bare = bare.replaceAll(EDGES, '').replace(/(?<=\w)\.$/, '');
    if (bare.startsWith('(') && (bare.endsWith(')') || !bare.includes(')'))) bare = bare.slice(1);
    if (bare.endsWith(')') && !bare.includes('(')) bare = bare.slice(0, -1);
    if (/^__.*[^_]__$/.test(bare)) bare = bare.slice(2, -2);
  }
  return bare;
}

interface Marked {
  readonly text: string;
  readonly paths: readonly string[];
}

/** Replaces the paths of a line by `PATH_SIGN`. */
function marked(line: string): Marked {
  const paths: string[] = [];
  const found = (path: string): string => {
    paths.push(withSlashes(path));
    return PATH_SIGN;
  };
  const quoted = line.replaceAll(/`+([^`]+)`+/g, (all, inner: string) => {
    const word = inner.trim().replace(/[:：]$/, '');
    return !/\s/.test(word) && isQuotedPath(withSlashes(word)) ? ` ${found(word)} ` : all;
  });
  const text = quoted
    .split(/(\s+|,|(?<=[^A-Za-z]):(?!\\)|:(?=[\s*_`]|$)|(?<=^\d{1,3}[.)]))/)
    .map((word) => {
      if (word === undefined || word.trim() === '' || word.includes(PATH_SIGN)) return word ?? '';
      const bare = bareWord(word);
      return isFileName(withSlashes(bare)) ? word.replace(bare, () => found(bare)) : word;
    })
    .join('');
  return { text, paths: [...new Set(paths)] };
}

/** Matches runs of characters that may be a path, wherever they stand. */
const RUNS = /[A-Za-z0-9_@~$()[\]./\\-]+/g;

/** Returns all words of a text that surely mean files. */
export const pathsIn = (text: string): readonly string[] =>
  text.length > LONGEST_MARK
    ? []
    : [...new Set([...text.matchAll(RUNS)].map(([run]) => withSlashes(bareWord(run))).filter(isSurelyFile))];

const isSentenceEnd = (line: string): boolean => /[.!。！]["”»)*_`]*$/.test(line.trim());

function labelOf(text: string, paths: readonly string[]): Label | null {
  const [path] = paths;
  if (path === undefined) {
    const saying = sayingOf(text);
    return saying === 'states' ? { kind: 'announcement' } : saying === 'example' ? { kind: 'example' } : null;
  }
  if (paths.length > 1) return null;
  const saying = sayingOf(text);
  return saying === 'states' ? { kind: 'file', path } : saying === 'changes' ? { kind: 'change', path } : null;
}

/**
 * Interprets the line above a block. A line is understood only as a whole; of a line with several sentences, the last
 * one counts if it says outright what the block is and no other sentence mentions a file.
 */
export function readLabel(line: string): Label {
  if (line.length > LONGEST_MARK) return { kind: 'prose', isDescription: false };
  const bare = plain(line);
  const whole = marked(bare);
  const label = labelOf(whole.text, whole.paths);
  if (label !== null) return label;
  const sentences = bare.split(/(?<=[.!?](?:\*\*)?)\s+/);
  const last = marked(sentences.at(-1) ?? '');
  const others = sentences.slice(0, -1).join(' ');
  if (others !== '' && pathsIn(others).length === 0 && isFirm(last.text)) {
    const ofLast = labelOf(last.text, last.paths);
    if (ofLast !== null) return ofLast;
  }
  const paths = [...new Set([...whole.paths.filter(isSurelyFile), ...pathsIn(bare)])];
  return paths.length > 0 ? { kind: 'mention', paths } : { kind: 'prose', isDescription: isSentenceEnd(line) };
}

/** Matches the beginning of a comment, in any common language. */
const COMMENT = /^(?:\/\/+|#+|--|;+|%+|\/\*+|<!--|\{\/\*|\(\*|REM |::|"""|')/i;
const COMMENT_END = /(?:\*\/\}?|-->|\*\)|""")$/;

/** Returns the path in a line that is a comment and holds only a path, with or without a label, or null. */
export function pathInComment(line: string): string | null {
  if (line.length > LONGEST_MARK) return null;
  const bare = line.trim();
  const open = COMMENT.exec(bare)?.[0];
  if (open === undefined) return null;
  const text = bare.slice(open.length).replace(COMMENT_END, '');
  const label = readLabel(text);
  return label.kind === 'file' || label.kind === 'change' ? label.path : null;
}
