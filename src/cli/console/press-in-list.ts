import { begin, beginMenu, beginOnHalt } from './begin.ts';
import type { Key } from './keys.ts';
import { itemsOf, type Choice, type Model, selectedItem, type NextModel } from './model.ts';
import { ANSWER_KEYS } from './options.ts';

const still = (model: Model): NextModel => [model, []];

/** How far `pageup` and `pagedown` move the selection. */
const PAGE = 8;

/** Returns the place that a key moves the selection to; null for other keys. */
function movedTo({ name, text }: Key, at: number, count: number): number | null {
  const word = name === 'text' ? text : name;
  switch (word) {
    case 'up':
    case 'k':
      return at - 1;
    case 'down':
    case 'j':
      return at + 1;
    case 'pageup':
      return at - PAGE;
    case 'pagedown':
      return at + PAGE;
    case 'home':
    case 'g':
      return 0;
    case 'end':
    case 'G':
      return count - 1;
    default:
      return null;
  }
}

function select(model: Model, wanted: number): Model {
  const items = itemsOf(model);
  const at = Math.max(0, Math.min(wanted, items.length - 1));
  const item = items[at];
  return item === undefined ? model : { ...model, selected: { key: item.key, at } };
}

const CHOICES: Readonly<Record<string, Choice>> = {
  d: { kind: 'diff' },
  s: { kind: 'shell' },
  m: { kind: 'merge' },
  h: { kind: 'hold' },
  r: { kind: 'resume' },
};

/** Handles a key while no dialog is open. */
export function pressInList(model: Model, key: Key): NextModel {
  const moved = movedTo(key, model.selected?.at ?? 0, itemsOf(model).length);
  if (moved !== null) return still(select(model, moved));
  const word = key.name === 'text' ? key.text : key.name;
  if (word === 'q' || word === 'Q' || word === 'ctrl-d') return [model, [{ kind: 'quit' }]];
  if (word === '?') return still({ ...model, mode: { kind: 'help', top: 0 } });
  if (word === 'escape') return still({ ...model, notice: null });
  const item = selectedItem(model);
  if (item === null) return still(model);
  const doing = model.busy.get(item.key);
  const verb = ANSWER_KEYS[word];
  const choice = CHOICES[word];
  if (doing !== undefined && (verb !== undefined || word === 'enter'))
    return still({ ...model, notice: { isBad: true, text: `${item.title} is busy: ${doing}.`, next: [] } });
  if (word === 'enter' || word === 'a') return beginMenu(model, item);
  if (verb !== undefined) return beginOnHalt(model, item, verb);
  return choice === undefined ? still(model) : begin(model, item, choice);
}
