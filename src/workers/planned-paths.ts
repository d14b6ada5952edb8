import type { JsonValue } from '#protocol/json.ts';
import { isSignalLine, LONGEST_MARK } from './answer/answer-lines.ts';
import { withPlainSignal } from './answer/signal-line.ts';
import { fenceLines } from './answer/fence-line.ts';
import { isFileName } from './answer/languages.ts';
import { fences } from './answer/code-blocks.ts';

/** No plan is longer. */
const MOST = 10_000;

/** What a segment plans, or the line of it that is no path. */
export type Planned = { readonly paths: readonly string[] } | { readonly unclear: string };

const PATH_KEYS = ['path', 'file', 'file_path', 'filename'];
const LIST_KEYS = ['files', 'new_files', 'newFiles', 'paths'];

const pathOf = (value: JsonValue): string | null => {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const table = value as Readonly<Record<string, JsonValue>>;
  const found = PATH_KEYS.map((key) => (Object.hasOwn(table, key) ? table[key] : undefined));
  return found.find((one) => typeof one === 'string') ?? null;
};

/** The one list of files in an object. */
function listIn(value: JsonValue): readonly JsonValue[] | null {
  if (Array.isArray(value)) return value as readonly JsonValue[];
  if (typeof value !== 'object' || value === null) return null;
  const lists = LIST_KEYS.flatMap((key) => {
    const found = Object.hasOwn(value, key) ? (value as Readonly<Record<string, JsonValue>>)[key] : undefined;
    return Array.isArray(found) ? [found as readonly JsonValue[]] : [];
  });
  return lists.length === 1 ? (lists[0] ?? null) : null;
}

function inJson(text: string): Planned {
  try {
    const list = listIn(JSON.parse(text) as JsonValue);
    const paths = list?.map(pathOf) ?? [null];
    return paths.every((path) => path !== null && path.trim() !== '')
      ? { paths: paths.filter((path) => path !== null) }
      : { unclear: `${text.slice(0, 100)} is no JSON list of paths` };
  } catch {
    return { unclear: `what begins with ${JSON.stringify(text.slice(0, 40))} is no valid JSON` };
  }
}

const ITEM = /^(?:[-*+•] |\d{1,4}[.)] ) *(?:\[[ xX]\] +)?/;
const BOLD = /^\*\*([^*]+)\*\*/;
/** A path in quotes, or one word; what comes after it. */
const QUOTED = /^([`"'])([^`"']+)\1(.*)$/;
const WORD = /^([^\s:,]+)(.*)$/;
/** `- why`, `: why`, `(new)`, `# why`, or nothing. */
const REMARK = /^,?\s*$|^:?\s*(?:[-–—#(→]|\/\/)|^:(?:\s|$)/;
const NONE = /^\(?(?:none|nothing|n\/a|no (?:new )?files?(?: (?:is|are) (?:needed|required|necessary))?)[.!)]*$/i;

/** A word without a folder or an ending is no path: it may be anything that is said. */
const isPath = (word: string): boolean => /[/\\]/.test(word) || isFileName(word);

/** A heading, or a sentence that brings the list. */
const isIntroduction = (text: string): boolean =>
  (/^#{1,6} /.test(text) || /[:：]$/.test(text)) && !text.split(/[\s:：`"'*,]+/).some(isPath);

/** The path of a line; empty: it is there to say something else; null: it is not clear. */
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

function inLines(lines: readonly string[]): Planned {
  const paths: string[] = [];
  for (const line of lines) {
    const path = inLine(line);
    if (path === null) return { unclear: `the line ${JSON.stringify(line.trim().slice(0, 200))} names no path` };
    if (path !== '') paths.push(path);
  }
  return { paths };
}

/** What is in the only fence, and the lines around it. */
function inFence(lines: readonly string[]): { readonly inside: readonly string[]; readonly around: readonly string[] } {
  const [only] = fences(lines.join('\n'));
  const [open] = fenceLines(lines);
  if (only === undefined || open === undefined) return { inside: lines, around: [] };
  const end = open.at + only.lines.length + 2;
  return { inside: only.lines, around: [...lines.slice(0, open.at), ...lines.slice(end)] };
}

const isSaid = (line: string): boolean => !isSignalLine(line) && line.trim() !== '';

/** The paths that a NEW_FILES_IDENTIFIED segment names: a JSON list, fenced or not, or one path a line; every line must be clear. */
export function plannedPaths(content: string): Planned {
  if (fences(content).length > 1)
    return { unclear: 'there are several fenced blocks, and the list may be in any of them' };
  const { inside, around } = inFence(withPlainSignal(content.split(/\r?\n/)));
  const outside = around.find((line) => inLine(line) !== null && inLine(line) !== '');
  if (outside !== undefined)
    return { unclear: `the line ${JSON.stringify(outside.trim().slice(0, 200))} names a path outside of the fence` };
  const lines = inside.filter(isSaid);
  const text = lines.join('\n').trim();
  const found = /^[{[]/.test(text) ? inJson(text) : inLines(lines);
  return 'paths' in found && found.paths.length > MOST ? { unclear: `there are more than ${MOST} paths` } : found;
}
