/** The part of an action's text that names something. `from` and `to` are offsets in the text. */
interface ActionSlot {
  readonly kind: 'verb' | 'node' | 'block';
  readonly from: number;
  readonly to: number;
}

const slot = (kind: ActionSlot['kind'], from: number, to: number): ActionSlot => ({ kind, from, to });

/**
 * Returns the offset after a prefix. Unlike in `parseAction`, nothing needs to follow the prefix: the name may not be
 * typed yet.
 */
const afterPrefix = (text: string, from: number, prefix: string): number =>
  text.startsWith(prefix, from) ? from + prefix.length : from;

const blockSlot = (text: string, from: number): ActionSlot =>
  slot('block', afterPrefix(text, from, 'Block:'), text.length);

/** Returns the slots of `[Node:] node [":" target]`, by the same rules as `splitReference` in the grammar. */
function referenceSlots(text: string, from: number): readonly ActionSlot[] {
  const bare = afterPrefix(text, from, 'Node:');
  const colon = text.indexOf(':', bare);
  const name = text.slice(bare, colon === -1 ? text.length : colon);
  // A node that is itself named `Node` is recognized by the full block id after it.
  if (bare > from && (name.includes('__') || name === 'Block'))
    return [slot('node', from, bare - 1), blockSlot(text, bare)];
  const node = slot('node', bare, colon === -1 ? text.length : colon);
  return colon === -1 ? [node] : [node, blockSlot(text, colon + 1)];
}

function forkSlots(text: string, from: number): readonly ActionSlot[] {
  const last = text.lastIndexOf(',') + 1;
  if (last <= from) return referenceSlots(text, from);
  const slots: ActionSlot[] = [];
  for (let at = from; at < last;) {
    const comma = text.indexOf(',', at);
    slots.push(slot('node', afterPrefix(text, at, 'Node:'), comma));
    at = comma + 1;
  }
  return [...slots, ...referenceSlots(text, last)];
}

/**
 * Returns the named parts of an action in written order, with their offsets, for editors. The action may be unfinished.
 */
export function actionSlots(text: string): readonly ActionSlot[] {
  const colon = text.indexOf(':');
  if (colon === -1) return [slot('verb', 0, text.length)];
  const verb = slot('verb', 0, colon);
  switch (text.slice(0, colon)) {
    case 'JUMP':
      return [verb, blockSlot(text, colon + 1)];
    case 'CALL':
      return [verb, ...referenceSlots(text, colon + 1)];
    case 'FORK':
      return [verb, ...forkSlots(text, colon + 1)];
    default:
      return [verb];
  }
}
