import type { LanguageName } from '../../../src/roberto-mcp/parse/languages.ts';

/** The part of a source text that a character belongs to: code, comment or string. */
export type TextKind = 'code' | 'comment' | 'text';

interface Syntax {
  readonly comments: readonly (readonly [open: string, close: string])[];
  readonly nestedComments: boolean;
  /**
   * Opening and closing delimiters of strings, longest first. A delimiter after the escape character does not end the
   * string.
   */
  readonly texts: readonly (readonly [open: string, close: string, escape: string])[];
  /** True if a single quote can also begin a Rust lifetime. */
  readonly lifetimes: boolean;
}

const C_COMMENTS = [
  ['//', '\n'],
  ['/*', '*/'],
] as const;
const QUOTES = [
  ['"', '"', '\\'],
  ["'", "'", '\\'],
] as const;

const C_LIKE: Syntax = { comments: C_COMMENTS, nestedComments: false, texts: QUOTES, lifetimes: false };

const SYNTAX: Partial<Readonly<Record<LanguageName, Syntax>>> = {
  c: C_LIKE,
  cpp: C_LIKE,
  java: { ...C_LIKE, texts: [['"""', '"""', '\\'], ...QUOTES] },
  go: { ...C_LIKE, texts: [...QUOTES, ['`', '`', '']] },
  typescript: { ...C_LIKE, texts: [...QUOTES, ['`', '`', '\\']] },
  rust: {
    ...C_LIKE,
    nestedComments: true,
    texts: [['r##"', '"##', ''], ['r#"', '"#', ''], ['r"', '"', ''], ...QUOTES],
    lifetimes: true,
  },
  python: {
    comments: [['#', '\n']],
    nestedComments: false,
    texts: [['"""', '"""', '\\'], ["'''", "'''", '\\'], ...QUOTES],
    lifetimes: false,
  },
};

const isLifetime = (text: string, at: number): boolean => /^'[A-Za-z_]\w*(?!['\w])/u.test(text.slice(at, at + 60));

function endOfComment(text: string, at: number, open: string, close: string, nested: boolean): number {
  let depth = 0;
  for (let here = at; here < text.length;) {
    if (text.startsWith(close, here) && (depth > 0 || here > at)) {
      here += close.length;
      depth -= 1;
      if (depth <= 0) return here;
    } else if (text.startsWith(open, here) && (depth === 0 || (nested && close !== '\n'))) {
      depth += 1;
      here += open.length;
    } else here += 1;
  }
  return text.length;
}

function endOfText(text: string, at: number, open: string, close: string, escape: string): number {
  for (let here = at + open.length; here < text.length; here += 1) {
    if (escape !== '' && text[here] === escape) here += 1;
    else if (text.startsWith(close, here)) return here + close.length;
    // A string with a one-character delimiter must end on its line. Otherwise the character is not a delimiter but, for
    // example, an apostrophe in a macro.
    else if (text[here] === '\n' && close.length === 1 && close !== '`' && text[here - 1] !== '\\') return -1;
  }
  return -1;
}

/** Returns the kind of each character, by the simple rules that text search tools use. */
export function textKinds(language: LanguageName, text: string): (offset: number) => TextKind {
  const syntax = SYNTAX[language] ?? C_LIKE;
  const kinds = new Uint8Array(text.length);
  for (let at = 0; at < text.length;) {
    const comment = syntax.comments.find(([open]) => text.startsWith(open, at));
    if (comment !== undefined) {
      const end = endOfComment(text, at, comment[0], comment[1], syntax.nestedComments);
      kinds.fill(1, at, end);
      at = end;
      continue;
    }
    const quoted = syntax.texts.find(([open]) => text.startsWith(open, at));
    const isText = quoted !== undefined && !(quoted[0] === "'" && syntax.lifetimes && isLifetime(text, at));
    const end = isText ? endOfText(text, at, quoted[0], quoted[1], quoted[2]) : -1;
    if (end < 0) {
      at += 1;
      continue;
    }
    kinds.fill(2, at, end);
    at = end;
  }
  return (offset) => (['code', 'comment', 'text'] as const)[kinds[offset] ?? 0] ?? 'code';
}
