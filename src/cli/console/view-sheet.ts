import { offeredAnswers } from '#engine/index.ts';
import { type Answer, whyText } from '#protocol/response.ts';
import { ageText } from '../print/time-text.ts';
import { withoutStackFrames } from '../print/event-lines.ts';
import { fitLines } from '../print/fit-lines.ts';
import { harmless, type Style } from '../print/style.ts';
import { charactersOf, textWidth } from '../print/text-width.ts';
import type { Item } from './item.ts';
import { type Mode, type Model, type Option, itemOf, selectedItem } from './model.ts';
import { ANSWER_KEYS, blockOf, mayHold, mayMerge } from './options.ts';
import { clean, lineOf, type LinePiece, shortened } from './pieces.ts';
import { matching } from './press-in-dialog.ts';
import { costText, paintChanges } from './view-list.ts';

type Of<Kind extends Mode['kind']> = Extract<Mode, { kind: Kind }>;

/** The part of the screen below the list, and the cursor in it. */
export interface Sheet {
  readonly lines: readonly string[];
  /** The place of the cursor, counted from 0; null hides it. */
  readonly cursor: { readonly line: number; readonly column: number } | null;
}

const sheet = (lines: readonly string[]): Sheet => ({ lines, cursor: null });

/** Returns a horizontal line with a title. */
function ruleLine(title: string, columns: number, { paint, symbols }: Style): string {
  const dash = symbols.arrow === '->' ? '-' : '─';
  const shown = shortened(clean(title), Math.max(0, columns - 6));
  const rest = dash.repeat(Math.max(0, columns - textWidth(shown) - 4));
  return lineOf(
    [
      { text: `${dash}${dash} `, paint: paint.dim },
      { text: shown, paint: paint.bold },
      { text: ` ${rest}`, paint: paint.dim },
    ],
    columns,
  );
}

/** Returns a text wrapped between words, as lines that fit. */
const wrappedText = (text: string, columns: number, indent = ''): readonly string[] =>
  fitLines(clean(text), columns, indent).map((line) => shortened(line, columns));

/** Returns what an item's halts wait for. */
const haltTexts = ({ halts }: Item, now: number): readonly string[] =>
  halts.map((halt) => {
    const until = halt.until === null ? '' : ` It continues in ${ageText(now, halt.until)}.`;
    return `${blockOf(halt)} waits for you: ${whyText(halt.why)}.${until}`;
  });

function factsOf(item: Item, style: Style): readonly LinePiece[] {
  const { paint, symbols } = style;
  const { changes, run, session } = item;
  const dot: LinePiece = { text: ` ${symbols.dot} `, paint: paint.dim };
  const count = changes === null ? '' : `${changes.files} ${changes.files === 1 ? 'file' : 'files'}`;
  const parts: readonly LinePiece[] = [
    ...(changes === null
      ? []
      : [
          { text: `+${changes.added} ${symbols.minus}${changes.deleted}`, paint: paintChanges(style) },
          { text: count },
        ]),
    ...(item.cost === null ? [] : [{ text: costText(item) }]),
    ...(session === null ? [] : [{ text: session, paint: paint.dim }]),
    ...(run === null ? [] : [{ text: run, paint: paint.dim }]),
  ];
  return parts.flatMap((part, index) => (index === 0 ? [part] : [dot, part]));
}

/** The maximum number of lines of output in the details. */
const MOST_SAID = 12;

/** Returns the details of the selected item, in at most `room` lines. */
function details(item: Item, model: Model, room: number, style: Style): Sheet {
  const { columns } = model.size;
  const { dim } = style.paint;
  const head = [ruleLine(item.title, columns, style), lineOf(factsOf(item, style), columns)];
  const notes = [
    ...haltTexts(item, model.now),
    ...(item.note === '' ? [] : [item.note]),
    ...(item.group === 'waiting' && item.halts.length === 0 && item.state === 'ready' ? ['Its work is done.'] : []),
  ].flatMap((text) => wrappedText(text, columns));
  const left = room - head.length - notes.length;
  const said = withoutStackFrames(harmless(item.said)).slice(-Math.min(MOST_SAID, Math.max(0, left)));
  const output = said.map((line) =>
    lineOf([{ text: '| ', paint: dim }, { text: line.replaceAll('\t', '    ') }], columns),
  );
  return sheet([...head, ...notes, ...(left > 0 ? output : [])].slice(0, Math.max(0, room)));
}

function optionLine({ label, key }: Option, isChosen: boolean, hasKeys: boolean, columns: number, style: Style) {
  const { paint, symbols } = style;
  const point = symbols.start === '>' ? '> ' : '❯ ';
  const pieces: readonly LinePiece[] = [
    { text: isChosen ? point : '  ', paint: paint.cyan },
    ...(hasKeys ? [{ text: `${key.padEnd(1)}  `, paint: paint.yellow }] : []),
    isChosen ? { text: clean(label), paint: paint.bold } : { text: clean(label) },
  ];
  return lineOf(pieces, columns);
}

function menu(mode: Of<'menu'>, { size: { columns } }: Model, room: number, style: Style): Sheet {
  const shown = matching(mode);
  const hasKeys = mode.options.some(({ key }) => key !== '');
  const title = mode.filter === '' ? mode.title : `${mode.title}  ${mode.filter}`;
  const most = Math.max(1, room - 1);
  const first = Math.max(0, Math.min(mode.at - most + 1, shown.length - most));
  const lines = shown
    .slice(first, first + most)
    .map((option, index) => optionLine(option, first + index === mode.at, hasKeys, columns, style));
  const none = shown.length === 0 ? [style.paint.dim(shortened('  Nothing matches.', columns))] : [];
  return sheet([ruleLine(title, columns, style), ...lines, ...none].slice(0, room));
}

const PROMPT = '> ';

/** The maximum expected length of one displayed character in UTF-16 code units: an emoji of a family has 11. */
const LONGEST_CHARACTER = 16;

/** Returns the end of a text that fits. Only the end is measured, since a pasted text may be long. */
function ending(text: string, columns: number): string {
  const characters = Array.from(charactersOf(text.slice(-columns * LONGEST_CHARACTER)), ({ segment }) => segment);
  let width = 0;
  let start = characters.length;
  while (start > 0) {
    width += textWidth(characters[start - 1] ?? '');
    if (width > columns) break;
    start -= 1;
  }
  return characters.slice(start).join('');
}

function inputHint({ verb, fault }: Of<'input'>): string {
  if (fault !== '') return fault;
  return verb === 'reject'
    ? 'What should change? Enter rejects, Esc cancels.'
    : 'Guidance (may be empty). Enter sends, Esc cancels.';
}

function input(mode: Of<'input'>, model: Model, style: Style): Sheet {
  const { columns } = model.size;
  const { paint } = style;
  const item = itemOf(model, mode.item);
  const title = item === null ? mode.title : `${item.title}: ${mode.title}`;
  const room = Math.max(1, columns - PROMPT.length - 1);
  const before = ending(mode.line.before, room);
  const typed = lineOf([{ text: PROMPT, paint: paint.cyan }, { text: before }, { text: mode.line.after }], columns);
  const hint = wrappedText(inputHint(mode), columns).map(mode.fault === '' ? paint.dim : paint.yellow);
  const head = [ruleLine(title, columns, style), ...hint];
  return {
    lines: [...head, typed],
    cursor: { line: head.length, column: Math.min(columns - 1, PROMPT.length + textWidth(before)) },
  };
}

function confirm({ question, intended }: Of<'confirm'>, model: Model, style: Style): Sheet {
  const { columns } = model.size;
  const item = itemOf(model, intended.item);
  return sheet([
    ruleLine(intended.title, columns, style),
    ...wrappedText(question, columns).map(style.paint.bold),
    ...(item === null ? [] : [lineOf(factsOf(item, style), columns)]),
    lineOf(
      [
        { text: 'y', paint: style.paint.yellow },
        { text: ' yes   ' },
        { text: 'Esc', paint: style.paint.yellow },
        { text: ' no' },
      ],
      columns,
    ),
  ]);
}

/** Returns the part of the screen below the list: a dialog, or the details of the selected item. */
export function sheetFor(model: Model, room: number, style: Style): Sheet {
  const { mode } = model;
  switch (mode.kind) {
    case 'menu':
      return menu(mode, model, room, style);
    case 'input':
      return input(mode, model, style);
    case 'confirm':
      return confirm(mode, model, style);
    case 'list':
    case 'help':
    case 'pager': {
      const item = selectedItem(model);
      return item === null || room < 3 ? sheet([]) : details(item, model, room, style);
    }
  }
}

type KeyText = readonly [key: string, text: string];

/** The keys that are listed in the last line of the screen. */
interface ShownKeys {
  /** The keys for the selected item, most important first; those that don't fit are left out. */
  readonly own: readonly KeyText[];
  readonly always: readonly KeyText[];
}

const SHORT: Readonly<Partial<Record<Answer['verb'], string>>> = {
  proceed: 'proceed',
  retry: 'again',
  reject: 'reject',
  next: 'next',
};

/** Returns the keys that answer the item's halt. */
const answerKeys = ({ halts }: Item): readonly KeyText[] => {
  const offered = new Set(halts.flatMap((halt) => offeredAnswers(halt)));
  return Object.entries(ANSWER_KEYS).flatMap(([key, verb]) => (offered.has(verb) ? [[key, SHORT[verb] ?? verb]] : []));
};

const ownKeys = (item: Item): readonly KeyText[] => [
  ['Enter', item.halts.length > 0 ? 'answer' : 'actions'],
  ...(item.resumes === null ? [] : [['r', 'resume'] as const]),
  ...(mayMerge(item) ? [['m', 'merge'] as const] : []),
  ['d', 'diff'],
  ['s', 'shell'],
  ...answerKeys(item),
  ...(mayHold(item) ? [['h', 'hold'] as const] : []),
];

/** Returns the keys that have an effect in the current state. */
export function keysFor(model: Model): ShownKeys {
  if (!model.hasKeys) return { own: [], always: [['Ctrl-C', 'quit']] };
  const { kind } = model.mode;
  if (kind === 'menu')
    return {
      own: [],
      always: [
        ['Enter', 'choose'],
        ['Esc', 'close'],
      ],
    };
  if (kind === 'input' || kind === 'confirm') return { own: [], always: [] };
  const item = selectedItem(model);
  return {
    own: item === null ? [] : ownKeys(item),
    always: [
      ['?', 'help'],
      ['q', 'quit'],
    ],
  };
}
