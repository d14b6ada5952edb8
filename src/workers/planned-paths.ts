import type { JsonValue } from '#protocol/json.ts';
import { isSignalLine, LONGEST_MARK } from './answer/answer-lines.ts';
import { withPlainSignal } from './answer/signal-line.ts';
import { fenceLines } from './answer/fence-line.ts';
import { isFileName } from './answer/languages.ts';
import { fences } from './answer/code-blocks.ts';

/** Maximum number of paths in one plan. A longer list is rejected. */
const MOST = 10_000;

/** The paths that a segment plans to create, or why the segment can't be read as a list of paths. */
type PlannedPaths = { readonly paths: readonly string[] } | { readonly unclear: string };

const PATH_KEYS = ['path', 'file', 'file_path', 'filename'];
const LIST_KEYS = ['files', 'new_files', 'newFiles', 'paths'];

const pathOf = (value: JsonValue): string | null => {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const table = value as Readonly<Record<string, JsonValue>>;
  const found = PATH_KEYS.map((key) => (Object.hasOwn(table, key) ? table[key] : undefined));
  return found.find((one) => typeof one === 'string') ?? null;
};

/**
 * Returns the list of files in a JSON value: the value itself if it is an array, or the array in one of its known
 * properties (`LIST_KEYS`). Returns null if there is no such array, or more than one.
 */
function listIn(value: JsonValue): readonly JsonValue[] | null {
  if (Array.isArray(value)) return value as readonly JsonValue[];
  if (typeof value !== 'object' || value === null) return null;
  const lists = LIST_KEYS.flatMap((key) => {
    const found = Object.hasOwn(value, key) ? (value as Readonly<Record<string, JsonValue>>)[key] : undefined;
    return Array.isArray(found) ? [found as readonly JsonValue[]] : [];
  });
  return lists.length === 1 ? (lists[0] ?? null) : null;
}

function inJson(text: string): PlannedPaths {
  try {
    const list = listIn(JSON.parse(text) as JsonValue);
    const paths = list?.map(pathOf) ?? [null];
    return paths.every((path) => path !== null && path.trim() !== '')
      ? { paths: paths.filter((path) => path !== null) }
      : { unclear: `${text.slice(0, 100)} is not a JSON list of paths` };
  } catch {
    return { unclear: `the text that begins with ${JSON.stringify(text.slice(0, 40))} is not valid JSON` };
  }
}

const ITEM = /^(?:[-*+•] |\d{1,4}[.)] ) *(?:\[[ xX]\] +)?/;
const BOLD = /^\*\*([^*]+)\*\*/;
/** The two patterns match a quoted path, or a single word, each followed by the rest of the line. */
const QUOTED = /^([`"'])([^`"']+)\1(.*)$/;
const WORD = /^([^\s:,]+)(.*)$/;
/** Matches the text that may follow a path on its line: `- why`, `: why`, `(new)`, `# why`, or nothing. */
const REMARK = /^,?\s*$|^:?\s*(?:[-–—#(→]|\/\/)|^:(?:\s|$)/;
const NONE = /^\(?(?:none|nothing|n\/a|no (?:new )?files?(?: (?:is|are) (?:needed|required|necessary))?)[.!)]*$/i;

/** Returns true if a word has a folder or a file extension. Any other word may be plain prose. */
const isPath = (word: string): boolean => /[/\\]/.test(word) || isFileName(word);

/**
 * Returns true for a heading, or a line that ends with a colon, if it names no path: such a line introduces the list.
 */
const isIntroduction = (text: string): boolean =>
  (/^#{1,6} /.test(text) || /[:：]$/.test(text)) && !text.split(/[\s:：`"'*,]+/).some(isPath);

/**
 * Returns the path that a line names, an empty string if the line is not an entry of the list, or null if it is
 * unclear.
 */
function inLine(line: string): string | null {
  if (line.length > LONGEST_MARK) return null;
  const text = line.trim();
  const item = text.replace(ITEM, '').replace(BOLD, '$1');
  if (NONE.test(item) || isIntroduction(text)) return '';
  const [, , quoted, afterQuoted = ''] = QUOTED.exec(item) ?? [];
  if (quoted !== undefined) return REMARK.test(afterQuoted) ? quoted : null;
  const [, word = '', after = ''] = WORD.exec(item) ?? [];
  return isPath(word) && REMARK.test(after) ? word : null;
}

function inLines(lines: readonly string[]): PlannedPaths {
  const paths: string[] = [];
  for (const line of lines) {
    const path = inLine(line);
    if (path === null) return { unclear: `the line ${JSON.stringify(line.trim().slice(0, 200))} is not a path` };
    if (path !== '') paths.push(path);
  }
  return { paths };
}

/**
 * Splits lines into those inside the only fenced block and those around it. Without a fenced block, all lines count as
 * inside.
 */
function inFence(lines: readonly string[]): { readonly inside: readonly string[]; readonly around: readonly string[] } {
  const [only] = fences(lines.join('\n'));
  const [open] = fenceLines(lines);
  if (only === undefined || open === undefined) return { inside: lines, around: [] };
  const end = open.at + only.lines.length + 2;
  return { inside: only.lines, around: [...lines.slice(0, open.at), ...lines.slice(end)] };
}

const isSaid = (line: string): boolean => !isSignalLine(line) && line.trim() !== '';

/**
 * Reads the paths of a NEW_FILES_IDENTIFIED segment: a JSON list, or one path per line, with or without a fence. One
 * unclear line makes the whole segment unclear.
 */
export function plannedPaths(content: string): PlannedPaths {
  if (fences(content).length > 1)
    return { unclear: 'there are several fenced blocks, so it is unclear which one contains the list' };
  const { inside, around } = inFence(withPlainSignal(content.split(/\r?\n/)));
  const outside = around.find((line) => inLine(line) !== null && inLine(line) !== '');
  if (outside !== undefined)
    return { unclear: `the line ${JSON.stringify(outside.trim().slice(0, 200))} contains a path outside of the fence` };
  const lines = inside.filter(isSaid);
  const text = lines.join('\n').trim();
  const found = /^[{[]/.test(text) ? inJson(text) : inLines(lines);
  return 'paths' in found && found.paths.length > MOST ? { unclear: `there are more than ${MOST} paths` } : found;
}
