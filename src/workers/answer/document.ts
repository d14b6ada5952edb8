import { isSignalLine, LONGEST_MARK, trimmed } from './answer-lines.ts';
import { fenceLines } from './fence-line.ts';
import { isTalk } from './is-talk.ts';

const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/;
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
/** Below a line of text, it makes a heading of it. */
const UNDERLINE = /^ {0,3}(?:=+|-{2,})[ \t]*$/;

const short = (line: string): boolean => line.length < LONGEST_MARK;
const isRule = (line: string): boolean => short(line) && RULE.test(line);
const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === '';

/** Lines that stand in fenced blocks: nothing in there is a heading. */
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

/** `key: value` lines between two rules at the very top. */
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

/** A document between two rules: the last one and the talk after it are no part of it. */
function withoutFarewell(lines: readonly string[]): readonly string[] {
  const rule = lines.findLastIndex(isRule);
  const after = lines.slice(rule + 1).filter((line) => !isBlank(line) && !isSignalLine(line));
  return rule > 0 && isBlank(lines[rule - 1]) && after.length > 0 && after.length <= 4 && after.every(isTalk)
    ? lines.slice(0, rule)
    : lines;
}

/** Prose out of an answer: without what is said before its first heading or rule (spec/workers.md "Internal:DocumentationWriter"). */
export function documentIn(lines: readonly string[]): readonly string[] | null {
  const start = findStart(lines);
  if (start === null) return null;
  const rest = lines.slice(start.at);
  const text = trimmed(start.by === 'rule' ? withoutFarewell(rest) : rest);
  return text.length === 0 ? null : text;
}

/** Is this the top of a document? */
export const isTop = (line: string): boolean => short(line) && HEADING.test(line);

/** Where the document begins; null: there is none. */
export const documentStart = (lines: readonly string[]): number | null => findStart(lines)?.at ?? null;
