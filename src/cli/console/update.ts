import type { Item, Snapshot } from './item.ts';
import { itemOf, type Message, type Model, type ConsoleNotice, selectedItem, type NextModel } from './model.ts';
import { pressInDialog } from './press-in-dialog.ts';
import { pressInList } from './press-in-list.ts';
import { beginJump } from './begin.ts';

const still = (model: Model): NextModel => [model, []];

/** Keeps the selection on the same item. If that item has disappeared, selects the item that is now at its index. */
function selectedIn({ items }: Snapshot, { selected }: Model): Model['selected'] {
  const found = selected === null ? -1 : items.findIndex(({ key }) => key === selected.key);
  const at = found === -1 ? Math.max(0, Math.min(selected?.at ?? 0, items.length - 1)) : found;
  const item: Item | undefined = items[at];
  return item === undefined ? null : { key: item.key, at };
}

/** Marks an item as no longer busy, and shows the result of the action. */
function finished(model: Model, item: string, notice: ConsoleNotice | null): NextModel {
  const busy = new Map(model.busy);
  busy.delete(item);
  return still({ ...model, busy, notice });
}

/** Adds the title of the item to a result if another item is selected meanwhile. */
function aboutItem(model: Model, key: string, text: string): string {
  const item = itemOf(model, key);
  return item === null || selectedItem(model)?.key === key ? text : `${item.title}: ${text}`;
}

function press(model: Model, key: Extract<Message, { kind: 'key' }>['key']): NextModel {
  if (key.name === 'ctrl-c') return model.mode.kind === 'list' ? [model, [{ kind: 'quit' }]] : still(inList(model));
  if (key.name === 'ctrl-z') return [model, [{ kind: 'suspend' }]];
  if (key.name === 'ctrl-l') return [model, [{ kind: 'redraw' }]];
  return model.mode.kind === 'list' ? pressInList(model, key) : pressInDialog(model, key);
}

const inList = (model: Model): Model => ({ ...model, mode: { kind: 'list' } });

/**
 * Returns the next state of the console. Has no side effects itself: they are returned as effects for the caller to
 * execute.
 */
export function update(model: Model, message: Message): NextModel {
  switch (message.kind) {
    case 'key':
      return press(model, message.key);
    case 'resized':
      return [{ ...model, size: message.size }, [{ kind: 'redraw' }]];
    case 'ticked':
      return still({ ...model, now: message.now });
    case 'read': {
      const { snapshot } = message;
      return still({ ...model, snapshot, trouble: null, selected: selectedIn(snapshot, model) });
    }
    case 'unreadable':
      return still({ ...model, trouble: message.why });
    case 'done':
      return finished(
        model,
        message.item,
        message.text === ''
          ? model.notice
          : { isBad: false, text: aboutItem(model, message.item, message.text), next: [] },
      );
    case 'refused': {
      const text = aboutItem(model, message.item, message.why);
      return finished(model, message.item, { isBad: true, text, next: message.next });
    }
    case 'diff': {
      const [shown] = finished(model, message.item, model.notice);
      // If the person has opened a dialog meanwhile, the dialog stays open.
      if (shown.mode.kind !== 'list') return still(shown);
      return still({ ...shown, mode: { kind: 'pager', title: message.title, lines: message.lines, top: 0 } });
    }
    case 'blocks': {
      const [shown] = finished(model, message.item, model.notice);
      return still(shown.mode.kind === 'list' ? beginJump(shown, message) : shown);
    }
  }
}
