import { isSignalLine, LONGEST_MARK, trimmed } from './answer-lines.ts';
import { fenceLines } from './fence-line.ts';

/** Returns true if a line looks like a sentence of prose without signs of code. */
function isTalk(line: string): boolean {
  if (line.length > LONGEST_MARK) return false;
  const text = line.trim();
  if (!/^(?:["“']|[*_]+)?[\p{Lu}\p{Lo}]/u.test(text) || /[{};=<>\\]|\)\s*$|^\w+\(/.test(text)) return false;
  const words = text.split(/\s+/).length;
  return /[.!?:。：！]["”*_]*$/.test(text) ? words >= 2 || /:$/.test(text) || /\p{Lo}/u.test(text) : words >= 8;
}

const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/;

const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;

/** Matches a Markdown underline, which turns the line of text above it into a heading. */
const UNDERLINE = /^ {0,3}(?:=+|-{2,})[ \t]*$/;

const short = (line: string): boolean => line.length < LONGEST_MARK;

const isRule = (line: string): boolean => short(line) && RULE.test(line);

const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === '';

/** Returns the indexes of lines within fenced blocks, where nothing is a heading. */
function fenced(lines: readonly string[]): ReadonlySet<number> {
  const inside = new Set<number>();
  let open: { readonly char: string; readonly length: number } | null = null;
  const fences = new Map(fenceLines(lines).map((fence) => [fence.at, fence]));
  for (let at = 0; at < lines.length; at += 1) {
    const fence = fences.get(at);
    const isOpening: boolean = open === null && fence !== undefined;
    if (isOpening || open !== null) inside.add(at);
    if (fence === undefined) continue;
    if (open === null) open = fence;
    else if (fence.info === '' && fence.char === open.char && fence.length >= open.length) open = null;
  }
  return inside;
}

/** Returns true if front matter begins at this line: `key: value` lines between two `---` rules. */
function isFrontMatter(lines: readonly string[], at: number): boolean {
  if (lines[at]?.trim() !== '---' || !/^[\w-]+\s*:/.test(lines[at + 1]?.slice(0, LONGEST_MARK) ?? '')) return false;
  const end = lines.findIndex((line, index) => index > at && line.trim() === '---');
  return end > 0 && lines.slice(at + 1, end).every((line) => isBlank(line) || /^[\w-]+\s*:|^\s|^-|^#/.test(line));
}

type Start = { readonly at: number; readonly by: 'heading' | 'rule' };

function findStart(lines: readonly string[]): Start | null {
  const skipped = fenced(lines);
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (skipped.has(at) || !short(line)) continue;
    if (HEADING.test(line)) return { at, by: 'heading' };
    if (UNDERLINE.test(line) && !isBlank(lines[at - 1]) && !isTalk(lines[at - 1] ?? ''))
      return { at: at - 1, by: 'heading' };
    if (isRule(line)) return isFrontMatter(lines, at) ? { at, by: 'heading' } : { at: at + 1, by: 'rule' };
  }
  return null;
}

/** Removes the closing rule of a document and the model's remarks after it. */
function withoutFarewell(lines: readonly string[]): readonly string[] {
  const rule = lines.findLastIndex(isRule);
  const after = lines.slice(rule + 1).filter((line) => !isBlank(line) && !isSignalLine(line));
  return rule > 0 && isBlank(lines[rule - 1]) && after.length > 0 && after.length <= 4 && after.every(isTalk)
    ? lines.slice(0, rule)
    : lines;
}

/**
 * Extracts a document from an answer, for `Internal:DocumentationWriter`, by dropping the remarks before its first
 * heading or rule. Returns null if there is no document.
 */
export function documentIn(lines: readonly string[]): readonly string[] | null {
  const start = findStart(lines);
  if (start === null) return null;
  const rest = lines.slice(start.at);
  const text = trimmed(start.by === 'rule' ? withoutFarewell(rest) : rest);
  return text.length === 0 ? null : text;
}

/** Returns true for a line that may begin a document, which is a heading. */
export const isTop = (line: string): boolean => short(line) && HEADING.test(line);

/** Returns the index of the document's first line, or null if there is none. */
export const documentStart = (lines: readonly string[]): number | null => findStart(lines)?.at ?? null;
