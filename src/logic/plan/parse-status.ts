import type { Task, TaskCode, TaskFile, TaskMetadata, TaskProblem, TaskStatus } from '#protocol/task-tree.ts';
import { findHiddenLines } from './find-hidden-lines.ts';
import { tidyHead } from './header.ts';
import { splitItem, withoutEnd } from './split-item.ts';

export interface ParsedStatus extends TaskFile {
  readonly tasks: readonly Task[];
  readonly problems: readonly TaskProblem[];
  /** Lines with a comment that is lost on saving. */
  readonly dropped: readonly number[];
}

/** Returns what is wrong with a path below `.flow/`, or null. */
type RefusePath = (path: string) => string | null;

/** The maximum number of levels in one file. */
const MOST_LEVELS = 64;

const STATUS: Readonly<Record<string, TaskStatus>> = {
  ' ': 'pending',
  '/': 'active',
  x: 'done',
  X: 'done',
  v: 'done',
  '-': 'skipped',
  '!': 'failed',
};

const MARKERS = '[ ] [/] [x] [-] [!]';

interface Row {
  readonly line: number;
  readonly level: number;
  readonly status: TaskStatus;
  readonly name: string;
  readonly reference: string | null;
  readonly metadata: TaskMetadata;
  readonly notes: string[];
}

type Report = (code: TaskCode, line: number, message: string) => void;

/** Matches a list bullet of any kind. In this file, only tasks may have bullets. */
const BULLET = /^[ \t]*[-*+](?:[ \t]|$)/;
/** A bullet with a bracket, also if the space between them is missing. */
const LIKE_A_TASK = /^[ \t]*[-*+][ \t]*\[/;

/** An item of an ordered list with a task's marker. */
const NUMBERED_TASK = /^[ \t]*\d{1,9}[.)][ \t]*\[[^\]]?\](?:[ \t]|$)/;

const isItem = (line: string): boolean => BULLET.test(line) || LIKE_A_TASK.test(line) || NUMBERED_TASK.test(line);

interface Marked {
  readonly indent: number;
  readonly status: TaskStatus;
  readonly text: string;
}

function readMarker(line: string, number: number, report: Report): Marked | null {
  const [, indent = '', rest = ''] = /^( *)(.*)$/su.exec(line) ?? [];
  const marked = /^- \[([^\]]*)\](?: (.*))?$/su.exec(rest);
  if (marked === null) {
    report(
      'tasks_missing_marker',
      number,
      `the item has no marker: begin it with "- ", one of ${MARKERS} and a space before the name`,
    );
    return null;
  }
  const [, marker = '', text = ''] = marked;
  const status = Object.hasOwn(STATUS, marker) ? STATUS[marker] : undefined;
  if (status !== undefined) return { indent: indent.length, status, text };
  report('tasks_unknown_marker', number, `[${marker}] is not a marker: use one of ${MARKERS}`);
  return null;
}

/** Returns the level of a line, or null if its indentation is not allowed there. */
function levelOf(indent: number, before: number, number: number, report: Report): number | null {
  const level = indent / 4;
  const most = before + 1;
  const why = !Number.isInteger(level)
    ? `it is indented by ${indent} blanks: use four per level`
    : level > most
      ? `it is ${level - most} ${level - most === 1 ? 'level' : 'levels'} too deep for the item above it: indent it by at most ${most * 4} blanks`
      : null;
  if (why !== null) report('tasks_bad_indentation', number, why);
  else if (level >= MOST_LEVELS)
    report(
      'tasks_too_deep',
      number,
      `it is on level ${level + 1}, but at most ${MOST_LEVELS} are allowed: move it to another file with a reference`,
    );
  return why === null ? level : null;
}

function checkReference(path: string | null, number: number, refusePath: RefusePath, report: Report): void {
  const why = path === null ? null : refusePath(path);
  if (why !== null)
    report('tasks_bad_reference', number, `"${path ?? ''}" is refused: ${why}; name a .md file below .flow/`);
}

/** Builds a tree from rows; each row is a child of the last row above it that is one level higher. */
function nest(rows: readonly Row[]): readonly Task[] {
  interface Open extends Row {
    readonly children: Open[];
  }
  const top: Open[] = [];
  const branch: Open[] = [];
  for (const row of rows) {
    const open: Open = { ...row, children: [] };
    branch.length = Math.min(branch.length, row.level);
    (branch.at(-1)?.children ?? top).push(open);
    branch.push(open);
  }
  const close = ({ line, status, name, reference, metadata, notes, children }: Open): Task => ({
    line,
    status,
    name,
    reference,
    metadata,
    notes,
    file: null,
    children: children.map(close),
  });
  return top.map(close);
}

/** Splits a text at line endings of any kind, and drops blank lines at the end. */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => withoutEnd(line, '\r'));
  return lines.slice(0, lines.findLastIndex((line) => line.trim() !== '') + 1);
}

/** Parses a task file. Reports all faults of its lines, but not those of the resulting tree. */
export function parseStatus(path: string, text: string, refusePath: RefusePath): ParsedStatus {
  const lines = linesOf(text);
  const { kinds, unclosed } = findHiddenLines(lines);
  const problems: TaskProblem[] = [];
  const report: Report = (code, line, message) => problems.push({ code, message, file: path, line });
  const head: string[] = [];
  const rows: Row[] = [];
  const dropped: number[] = [];
  let level = -1;
  const take = (line: string, number: number): void => {
    if (line.includes('\t')) return report('tasks_tab', number, 'it contains a tab: indent with four spaces per level');
    const marked = readMarker(line, number, report);
    if (marked === null) return;
    const placed = levelOf(marked.indent, level, number, report);
    if (placed === null) return;
    level = placed;
    const item = splitItem(marked.text);
    if ('code' in item) return report(item.code, number, item.message);
    const { name, reference, metadata, dropsComment } = item;
    checkReference(reference, number, refusePath, report);
    if (dropsComment) dropped.push(number);
    rows.push({ line: number, level: placed, status: marked.status, name, reference, metadata, notes: [] });
  };
  for (const [index, line] of lines.entries()) {
    const kind = kinds[index];
    if (kind === 'open' && isItem(line)) take(line, index + 1);
    else if (kind === 'comment') dropped.push(index + 1);
    else (rows.at(-1)?.notes ?? head).push(kind === 'blank' ? '' : line);
  }
  if (unclosed !== null) report('tasks_unclosed', unclosed.line, `the ${unclosed.what} never ends: close it`);
  return { path, head: tidyHead(head), tasks: problems.length === 0 ? nest(rows) : [], problems, dropped };
}
