import { bytesText } from '#protocol/amount-text.ts';
import { fitLines } from '../print/fit-lines.ts';
import { paintPatchLine } from '../print/patch.ts';
import type { Style } from '../print/style.ts';
import { textWidth } from '../print/text-width.ts';
import { HELP } from './help.ts';
import { type Snapshot, sumOfCosts } from './item.ts';
import type { Mode, Model, ConsoleNotice } from './model.ts';
import { clean, field, lineOf, type LinePiece, shortened, spread } from './pieces.ts';
import { AROUND_PAGE } from './press-in-dialog.ts';
import { costText, listLines } from './view-list.ts';
import { keysFor, type Sheet, sheetFor } from './view-sheet.ts';
import { wrapped } from './wrapped.ts';

/** A screen: its lines, each at most as wide as the screen, and the cursor. */
export interface Frame {
  readonly columns: number;
  readonly lines: readonly string[];
  /** Counted from 0; null hides the cursor. */
  readonly cursor: { readonly row: number; readonly column: number } | null;
}

type Of<Kind extends Mode['kind']> = Extract<Mode, { kind: Kind }>;

function countsOf({ items }: Snapshot): readonly string[] {
  const count = (group: string): number => items.filter((item) => item.group === group).length;
  const [waiting, interrupted, running, queued] = ['waiting', 'interrupted', 'running', 'queued'].map(count);
  return [
    ...(waiting === 0 ? [] : [`${waiting} ${waiting === 1 ? 'waits' : 'wait'}`]),
    ...(interrupted === 0 ? [] : [`${interrupted} interrupted`]),
    ...(running === 0 ? [] : [`${running} running`]),
    ...(queued === 0 ? [] : [`${queued} queued`]),
  ];
}

function engineText({ engine }: Snapshot): string {
  if (engine === null) return 'no engine runs';
  return `${engine.kind === 'host' ? 'host' : 'process'} ${engine.pid}`;
}

function sizesText({ disk }: Snapshot): readonly string[] {
  if (disk === null) return [];
  const bytes = disk.worktrees.reduce((sum, { size }) => sum + (size?.bytes ?? 0), 0);
  return [`worktrees ${bytesText(bytes)}`, `.flow ${bytesText(disk.flow?.bytes ?? 0)}`];
}

function headerLine({ project, snapshot, size }: Model, style: Style): string {
  const { paint, symbols } = style;
  const name: LinePiece = { text: clean(project), paint: paint.bold };
  if (snapshot === null) return lineOf([name], size.columns);
  const sum = sumOfCosts(snapshot.items);
  const facts = [...countsOf(snapshot), ...(sum === null ? [] : [costText({ cost: sum })])];
  const isWaiting = snapshot.items.some(({ group }) => group === 'waiting');
  const left: readonly LinePiece[] = [
    name,
    { text: '  ' },
    { text: facts.join(` ${symbols.dot} `), ...(isWaiting ? { paint: paint.yellow } : {}) },
  ];
  const right = [
    ...(snapshot.over === 0 ? [] : [`${snapshot.over} ended`]),
    ...(snapshot.findings === 0 ? [] : [`${snapshot.findings} to check: robosmith worktrees`]),
    ...sizesText(snapshot),
    engineText(snapshot),
  ].join(` ${symbols.dot} `);
  const isRoom = left.reduce((all, { text }) => all + textWidth(text), 0) + textWidth(right) + 2 <= size.columns;
  return spread(left, isRoom ? [{ text: right, paint: paint.dim }] : [], size.columns);
}

/** The maximum number of lines of a message; a longer one is cut. */
const MOST_NOTICE = 5;

function noticeLines(
  notice: ConsoleNotice | null,
  trouble: string | null,
  columns: number,
  style: Style,
): readonly string[] {
  const { paint, symbols } = style;
  const fit = (text: string, indent: string): readonly string[] =>
    fitLines(text, columns, indent).map((line) => shortened(line, columns));
  const shown = notice ?? (trouble === null ? null : { isBad: true, text: trouble, next: ['robosmith doctor'] });
  if (shown === null) return [];
  const mark = shown.isBad ? symbols.bad : symbols.ok;
  const lines = fit(`${mark} ${clean(shown.text)}`, '  ').slice(0, MOST_NOTICE);
  const next = shown.next.slice(0, 2).flatMap((command) => fit(`  ${clean(command)}`, '    '));
  return [...lines.map(shown.isBad ? paint.yellow : paint.green), ...next.map(paint.cyan)];
}

type KeyText = readonly [key: string, text: string];

const keyWidth = ([key, text]: KeyText): number => textWidth(key) + textWidth(text) + 1;

/** The gap between two keys. */
const KEY_GAP = 2;

/** Returns the keys that fit; the last ones, help and quit, always stay. */
function fitting(own: readonly KeyText[], always: readonly KeyText[], columns: number): readonly KeyText[] {
  const widthOf = (keys: readonly KeyText[]): number =>
    keys.reduce((sum, key) => sum + keyWidth(key) + KEY_GAP, -KEY_GAP);
  const shown = [...own];
  while (shown.length > 0 && widthOf([...shown, ...always]) > columns) shown.pop();
  return [...shown, ...always];
}

function keysLine(model: Model, style: Style): string {
  const { paint } = style;
  const { columns } = model.size;
  const { own, always } = keysFor(model);
  const pieces = fitting(own, always, columns).flatMap(([key, text], index): readonly LinePiece[] => [
    { text: index === 0 ? '' : ' '.repeat(KEY_GAP) },
    { text: key, paint: paint.yellow },
    { text: ` ${text}`, paint: paint.dim },
  ]);
  return lineOf(pieces, columns);
}

/** Returns the number of lines that the list may use if the details need space as well. */
const listRoom = (rows: number, wanted: number, sheet: number): number =>
  Math.max(0, Math.min(wanted, Math.max(rows - sheet, Math.ceil(rows / 2))));

/**
 * Puts the list above the dialog or the details. A dialog always gets the space that it needs; details get only the
 * space that the list leaves.
 */
function mainLines(model: Model, style: Style): Frame {
  const { columns, rows } = model.size;
  const head = [headerLine(model, style), ''];
  const foot = [...noticeLines(model.notice, model.trouble, columns, style), keysLine(model, style)];
  const room = Math.max(0, rows - head.length - foot.length);
  const isDialog = model.mode.kind !== 'list';
  const dialog: Sheet | null = isDialog ? sheetFor(model, room, style) : null;
  const wanted = listLines(model, Number.MAX_SAFE_INTEGER, style).length;
  const most = dialog === null ? listRoom(room, wanted, 8) : Math.max(0, room - dialog.lines.length - 1);
  const list = listLines(model, Math.min(wanted, most), style);
  const gap = room - list.length > (dialog?.lines.length ?? 2) ? [''] : [];
  const below = dialog ?? sheetFor(model, room - list.length - gap.length, style);
  const above = [...head, ...list, ...gap];
  const filler = Array.from({ length: Math.max(0, rows - above.length - below.lines.length - foot.length) }, () => '');
  const lines = [...above, ...below.lines, ...filler, ...foot];
  // If the screen is very small, only the lowest lines are shown, because the keys refer to them.
  const cut = Math.max(0, lines.length - rows);
  const row = below.cursor === null ? null : above.length + below.cursor.line - cut;
  return {
    columns,
    lines: lines.slice(cut),
    cursor: row === null || row < 0 ? null : { row, column: below.cursor?.column ?? 0 },
  };
}

function page(title: string, all: readonly string[], top: number, { size }: Model, style: Style): Frame {
  const { paint } = style;
  const room = Math.max(1, size.rows - AROUND_PAGE);
  const first = Math.max(0, Math.min(top, all.length - room));
  const shown = all.slice(first, first + room);
  const filler = Array.from({ length: room - shown.length }, () => '');
  const end = Math.min(all.length, first + room);
  const place = all.length <= room ? '' : `${first + 1}-${end} of ${all.length}`;
  const keys: readonly LinePiece[] = [
    ...[
      { text: 'q', paint: paint.yellow },
      { text: ' back  ', paint: paint.dim },
    ],
    ...[
      { text: 'Space b', paint: paint.yellow },
      { text: ' page', paint: paint.dim },
    ],
  ];
  const head = lineOf([{ text: clean(title), paint: paint.bold }], size.columns);
  return {
    columns: size.columns,
    lines: [head, ...shown, ...filler, spread(keys, [{ text: place, paint: paint.dim }], size.columns)].slice(
      -size.rows,
    ),
    cursor: null,
  };
}

const KEY_WIDTH = 11;

const helpLines = ({ columns }: Model['size'], { paint }: Style): readonly string[] =>
  HELP.map(([key, text]) =>
    key === ''
      ? lineOf([{ text, paint: paint.bold }], columns)
      : lineOf([{ text: `  ${field(key, KEY_WIDTH)}`, paint: paint.yellow }, { text: ` ${text}` }], columns),
  );

const pagerLines = ({ lines }: Of<'pager'>, columns: number, style: Style): readonly string[] =>
  wrapped(lines, columns).map(({ text, kind }) => (text === '' ? '' : paintPatchLine(text, kind, style)));

/** Returns the screen for a state. */
export function view(model: Model, style: Style): Frame {
  const { mode, size } = model;
  if (mode.kind === 'help')
    return page('Keys of robosmith status --watch', helpLines(size, style), mode.top, model, style);
  if (mode.kind === 'pager') return page(mode.title, pagerLines(mode, size.columns, style), mode.top, model, style);
  return mainLines(model, style);
}
