import type { BlockId } from '#protocol/id.ts';
import type { Answer } from '#protocol/response.ts';
import { begin, working } from './begin.ts';
import { editLine, textOfLine } from './edit-line.ts';
import { HELP } from './help.ts';
import type { Key } from './keys.ts';
import { type IntendedAction, itemOf, type Mode, type Model, type Option, type NextModel } from './model.ts';
import { wrapped } from './wrapped.ts';

type Of<Kind extends Mode['kind']> = Extract<Mode, { kind: Kind }>;

const still = (model: Model): NextModel => [model, []];
const closed = (model: Model): NextModel => still({ ...model, mode: { kind: 'list' } });

const GONE = 'It is no longer in the list.';

/** Returns the options that match the filter. */
export const matching = ({ options, filter }: Of<'menu'>): readonly Option[] =>
  filter === '' ? options : options.filter(({ label }) => label.toLowerCase().includes(filter.toLowerCase()));

function choose(model: Model, mode: Of<'menu'>, chosen: Option | undefined): NextModel {
  if (chosen === undefined) return still(model);
  const item = itemOf(model, mode.item);
  const listed: Model = { ...model, mode: { kind: 'list' } };
  return item === null
    ? still({ ...listed, notice: { isBad: true, text: GONE, next: [] } })
    : begin(listed, item, chosen.choice);
}

/**
 * Handles a key in a menu. If the options show keys, such a key chooses its option; otherwise typed text filters the
 * options.
 */
function pressInMenu(model: Model, mode: Of<'menu'>, { name, text }: Key): NextModel {
  const shown = matching(mode);
  const go = (at: number): NextModel =>
    still({ ...model, mode: { ...mode, at: Math.max(0, Math.min(at, shown.length - 1)) } });
  switch (name) {
    case 'escape':
      return closed(model);
    case 'up':
      return go(mode.at - 1);
    case 'down':
    case 'tab':
      return go(mode.at + 1);
    case 'home':
      return go(0);
    case 'end':
      return go(shown.length - 1);
    case 'backspace':
      return still({ ...model, mode: { ...mode, at: 0, filter: mode.filter.slice(0, -1) } });
    case 'text': {
      const hasKeys = mode.options.some(({ key }) => key !== '');
      if (hasKeys)
        return choose(
          model,
          mode,
          mode.options.find(({ key }) => key === text),
        );
      return still({ ...model, mode: { ...mode, at: 0, filter: `${mode.filter}${text}` } });
    }
    case 'enter':
      return choose(model, mode, shown[mode.at]);
    default:
      return still(model);
  }
}

/** Returns the answer that was typed. */
function answerOf({ verb, block, line }: Of<'input'>): Answer {
  const guidance = textOfLine(line).trim();
  const words = guidance === '' ? {} : { guidance };
  return verb === 'jump' ? { verb, block: block as BlockId, ...words } : { verb, ...words };
}

const act = (model: Model, intended: IntendedAction, doing: string): NextModel => [
  working(model, intended.item, doing),
  [{ kind: 'act', intended }],
];

function pressInInput(model: Model, mode: Of<'input'>, key: Key): NextModel {
  if (key.name === 'escape') return closed(model);
  if (key.name !== 'enter') return still({ ...model, mode: { ...mode, line: editLine(mode.line, key), fault: '' } });
  const answer = answerOf(mode);
  if (mode.verb === 'reject' && answer.guidance === undefined)
    return still({ ...model, mode: { ...mode, fault: 'The next block needs a reason.' } });
  const title = itemOf(model, mode.item)?.title ?? mode.item;
  return act(
    model,
    { item: mode.item, title, action: { kind: 'answer', halt: mode.halt, answer } },
    'sending the answer',
  );
}

const DOING: Readonly<Record<IntendedAction['action']['kind'], string>> = {
  answer: 'sending the answer',
  merge: 'merging',
  hold: 'putting it on hold',
  resume: 'resuming',
  resumeRun: 'resuming',
};

/** Only `y` confirms: a key that is pressed by accident, or held down, changes nothing. */
function pressInConfirm(model: Model, { intended }: Of<'confirm'>, { name, text }: Key): NextModel {
  if (name === 'text' && text.toLowerCase() === 'y') return act(model, intended, DOING[intended.action.kind]);
  if (name === 'escape' || name === 'enter' || (name === 'text' && 'nNqQ'.includes(text))) return closed(model);
  return still(model);
}

/** Returns the first line that is displayed after a key that scrolls; null for other keys. */
function scrolled({ name, text }: Key, top: number, page: number): number | null {
  const word = name === 'text' ? text : name;
  switch (word) {
    case 'up':
    case 'k':
      return top - 1;
    case 'down':
    case 'j':
    case 'enter':
      return top + 1;
    case 'pageup':
    case 'b':
      return top - page;
    case 'pagedown':
    case ' ':
      return top + page;
    case 'home':
    case 'g':
      return 0;
    case 'end':
    case 'G':
      return Number.MAX_SAFE_INTEGER;
    default:
      return null;
  }
}

/** The number of lines around the text of a dialog that fills the screen. */
export const AROUND_PAGE = 2;

const CLOSING: ReadonlySet<string> = new Set(['q', 'Q', '?', 'd']);

function pressInPage(model: Model, mode: Of<'pager'> | Of<'help'>, lines: number, key: Key): NextModel {
  const page = Math.max(1, model.size.rows - AROUND_PAGE);
  const top = scrolled(key, mode.top, page);
  if (top !== null) {
    const last = Math.max(0, lines - page);
    return still({ ...model, mode: { ...mode, top: Math.max(0, Math.min(top, last)) } });
  }
  return key.name === 'escape' || (key.name === 'text' && CLOSING.has(key.text)) ? closed(model) : still(model);
}

/** Handles a key while a dialog is open. */
export function pressInDialog(model: Model, key: Key): NextModel {
  const { mode } = model;
  switch (mode.kind) {
    case 'list':
      return still(model);
    case 'menu':
      return pressInMenu(model, mode, key);
    case 'input':
      return pressInInput(model, mode, key);
    case 'confirm':
      return pressInConfirm(model, mode, key);
    case 'pager':
      return pressInPage(model, mode, wrapped(mode.lines, model.size.columns).length, key);
    case 'help':
      return pressInPage(model, mode, HELP.length, key);
  }
}
