import type { GrammarName } from './languages.ts';

const SCRIPT = /<script\b([^>]*)>([\s\S]*?)<\/script\s*>/giu;
const EXPRESSION = /\{[^{}<>]*\}/gu;

/** Replaces all characters except line feeds by blanks, so that positions stay the same. */
const blank = (text: string): string => text.replace(/[^\n]/gu, ' ');

/**
 * Returns a text of equal length with the page's inline scripts at their positions and blanks elsewhere, or null if
 * there are no inline scripts.
 */
export function scriptsOnly(text: string): { readonly text: string; readonly language: GrammarName } | null {
  let out = '';
  let from = 0;
  let language: GrammarName = 'javascript';
  for (const match of text.matchAll(SCRIPT)) {
    const [whole, attributes = '', body = ''] = match;
    if (/\bsrc\s*=/u.test(attributes) || /type\s*=\s*["'](?!module|text\/javascript)/u.test(attributes)) continue;
    if (/lang\s*=\s*["']?tsx?/u.test(attributes)) language = 'typescript';
    const start = match.index + whole.toLowerCase().indexOf('>', 7) + 1;
    const bodyStart = match.index + whole.indexOf(body, attributes.length + 8);
    const at = body === '' ? start : bodyStart;
    out += blank(text.slice(from, at)) + body;
    from = at + body.length;
  }
  return from === 0 ? null : { text: out + blank(text.slice(from)), language };
}

const IDENTIFIER = /[A-Za-z_$][\w$]*/gu;

interface TemplateName {
  readonly name: string;
  readonly row: number;
  readonly column: number;
}

/** Returns the identifiers inside `{…}` in a page template, outside scripts and styles. */
export function templateNames(text: string): readonly TemplateName[] {
  const markup = text.replace(/<(script|style)\b[\s\S]*?<\/\1\s*>/giu, blank);
  const names: TemplateName[] = [];
  for (const [row, line] of markup.split('\n').entries()) {
    if (line.length > 2_000) continue;
    for (const expression of line.matchAll(EXPRESSION)) {
      const code = expression[0].replace(/(["'`])(?:(?!\1).)*\1/gu, (quoted) => ' '.repeat(quoted.length));
      for (const match of code.matchAll(IDENTIFIER))
        names.push({ name: match[0], row, column: expression.index + match.index });
    }
  }
  return names;
}
