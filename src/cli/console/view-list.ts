import { ageText } from '../print/time-text.ts';
import { costText as textOfCost } from '#protocol/amount-text.ts';
import { withoutStackFrames } from '../print/event-lines.ts';
import { harmless, type Style } from '../print/style.ts';
import { textWidth } from '../print/text-width.ts';
import type { Group, Item } from './item.ts';
import { itemsOf, type Model } from './model.ts';
import { clean, field, lineOf, type Paint, type LinePiece, spread } from './pieces.ts';

/** The screen width in columns below which the fields of an item are shown on a separate line. */
const NARROW = 60;

/** Returns the mark of an item's group, and its colour for people who can distinguish colours. */
function markOf({ group, state }: Item, { paint, symbols }: Style): { readonly mark: string; readonly paint: Paint } {
  const marks: Readonly<Record<Group, { readonly mark: string; readonly paint: Paint }>> = {
    waiting: { mark: symbols.halt, paint: paint.magenta },
    interrupted: { mark: symbols.halt, paint: paint.yellow },
    running: { mark: symbols.start, paint: paint.cyan },
    queued: { mark: symbols.dot, paint: paint.yellow },
    resting: { mark: symbols.dot, paint: paint.dim },
  };
  if (state === 'failed') return { mark: symbols.bad, paint: paint.red };
  if (state === 'ready' || state === 'merged') return { mark: symbols.ok, paint: paint.green };
  return marks[group];
}

/** Returns the cost of an item. A price that is wholly unknown is `cost ?`, since `?` alone says nothing. */
export function costText({ cost }: Pick<Item, 'cost'>): string {
  if (cost === null) return '';
  const text = textOfCost(cost);
  return text === '?' ? 'cost ?' : text;
}

const changesText = ({ changes }: Item, { symbols }: Style): string =>
  changes === null ? '' : `+${changes.added} ${symbols.minus}${changes.deleted}`;

/** Paints `+12 −3`: what was added in green, what was deleted in red. */
export const paintChanges =
  ({ paint }: Style): Paint =>
  (text) => {
    const at = text.indexOf('+');
    const space = text.indexOf(' ', at);
    return at === -1 || space === -1 ? text : `${paint.green(text.slice(0, space))}${paint.red(text.slice(space))}`;
  };

/** Returns the last line of an output. */
const lastLine = (said: string): string => clean(withoutStackFrames(harmless(said)).at(-1) ?? '');

/** The fields of an item, which are also the columns of the list. */
interface Fields {
  readonly where: string;
  readonly changes: string;
  readonly cost: string;
  readonly age: string;
}

function fieldsOf(item: Item, { now, busy }: Model, style: Style): Fields {
  const doing = busy.get(item.key);
  return {
    where: doing ?? `${item.state}${item.place === '' ? '' : ` ${clean(item.place)}`}`,
    changes: changesText(item, style),
    cost: costText(item),
    age: ageText(item.since, now),
  };
}

const WIDEST_WHERE = 28;

const longest = (fields: readonly Fields[], name: keyof Fields): number =>
  fields.reduce((most, one) => Math.max(most, textWidth(one[name])), 0);

/** The widths of the columns; 0 leaves a column out. */
type Widths = Readonly<Record<keyof Fields, number>>;

const GAP = 2;
const LEAST_TITLE = 16;

function widthsFor(fields: readonly Fields[], room: number): Widths {
  const widths = {
    where: Math.min(longest(fields, 'where'), WIDEST_WHERE, Math.floor(room / 3)),
    changes: longest(fields, 'changes'),
    cost: longest(fields, 'cost'),
    age: longest(fields, 'age'),
  };
  const around = (): number => Object.values(widths).reduce((sum, one) => sum + (one === 0 ? 0 : one + GAP), 0);
  if (room - around() < LEAST_TITLE) widths.cost = 0;
  if (room - around() < LEAST_TITLE) widths.changes = 0;
  return widths;
}

function wideLine(
  item: Item,
  fields: Fields,
  widths: Widths,
  head: readonly LinePiece[],
  columns: number,
  style: Style,
) {
  const { paint } = style;
  const mark = markOf(item, style);
  const cells: readonly (readonly [keyof Fields, Paint, boolean])[] = [
    ['where', mark.paint, false],
    ['changes', paintChanges(style), true],
    ['cost', paint.dim, true],
    ['age', paint.dim, true],
  ];
  const right = cells.flatMap(([name, color, isRight]): readonly LinePiece[] =>
    widths[name] === 0
      ? []
      : [{ text: ' '.repeat(GAP) }, { text: field(fields[name], widths[name], isRight), paint: color }],
  );
  return spread(head, right, columns);
}

function narrowLines(item: Item, fields: Fields, head: readonly LinePiece[], columns: number, style: Style) {
  const { paint, symbols } = style;
  const dot: LinePiece = { text: ` ${symbols.dot} `, paint: paint.dim };
  const more: readonly LinePiece[] = [
    { text: '    ' },
    { text: fields.where, paint: markOf(item, style).paint },
    ...(fields.changes === '' ? [] : [dot, { text: fields.changes, paint: paintChanges(style) }]),
    ...(fields.cost === '' ? [] : [dot, { text: fields.cost, paint: paint.dim }]),
  ];
  return [spread(head, [{ text: fields.age, paint: paint.dim }], columns), lineOf(more, columns)];
}

/** The pointer of the selected item. */
const pointer = ({ symbols }: Style): string => (symbols.start === '>' ? '> ' : '❯ ');

/** Returns the lines of one item: its title and fields, and its last output or why it waits. */
function itemLines(item: Item, widths: Widths, model: Model, style: Style): readonly string[] {
  const { columns } = model.size;
  const { paint } = style;
  const isSelected = model.selected?.key === item.key;
  const mark = markOf(item, style);
  const head: readonly LinePiece[] = [
    { text: isSelected ? pointer(style) : '  ', paint: paint.cyan },
    { text: `${mark.mark} `, paint: mark.paint },
    isSelected ? { text: clean(item.title), paint: paint.bold } : { text: clean(item.title) },
  ];
  const fields = fieldsOf(item, model, style);
  const first =
    columns < NARROW
      ? narrowLines(item, fields, head, columns, style)
      : [wideLine(item, fields, widths, head, columns, style)];
  const last = item.note === '' ? lastLine(item.said) : clean(item.note.split('\n')[0] ?? '');
  return last === '' ? first : [...first, lineOf([{ text: '    ' }, { text: last, paint: paint.dim }], columns)];
}

/** Returns the lines of as many items as fit, including the selected one. */
function around(blocks: readonly (readonly string[])[], at: number, room: number): readonly string[] {
  let first = at;
  let height = blocks[at]?.length ?? 0;
  while (first > 0 && height + (blocks[first - 1]?.length ?? 0) <= room) {
    first -= 1;
    height += blocks[first]?.length ?? 0;
  }
  // The list does not scroll while everything up to the selected item fits.
  return blocks.slice(first).flat().slice(0, Math.max(0, room));
}

/** Returns the lines of the list, at most `room`. */
export function listLines(model: Model, room: number, style: Style): readonly string[] {
  const items = itemsOf(model);
  const { columns } = model.size;
  const { dim } = style.paint;
  if (model.snapshot === null) return [lineOf([{ text: '  Reading the project …', paint: dim }], columns)];
  if (items.length === 0) {
    const texts = ['  No active sessions.', '  Start one: robosmith run --help'];
    return texts.map((text) => lineOf([{ text, paint: dim }], columns)).slice(0, room);
  }
  const widths = widthsFor(
    items.map((item) => fieldsOf(item, model, style)),
    columns - 4,
  );
  const blocks = items.map((item) => itemLines(item, widths, model, style));
  return around(blocks, model.selected?.at ?? 0, room);
}
