import { emitKeypressEvents, type Key } from 'node:readline';
import { setTimeout } from 'node:timers/promises';

/** The time in milliseconds in which keys that were typed earlier arrive. They are dropped. */
const TYPED_AHEAD_MS = 100;

/** Keys that leave a question without an answer. */
const isLeaving = ({ ctrl, name }: Key): boolean =>
  (ctrl === true && (name === 'c' || name === 'd')) || name === 'escape';

/**
 * Shows a question and returns the first of the keys that is pressed; null if the person leaves the question, the
 * terminal is closed, or `over` aborts. A key that was pressed before the question counts for nothing.
 */
export async function pressKey(keys: readonly string[], show: () => void, over: AbortSignal): Promise<string | null> {
  const { stdin } = process;
  if (over.aborted || !stdin.isTTY) return null;
  const pressed = Promise.withResolvers<string | null>();
  let listens = false;
  const onKey = (_: string | undefined, key: Key): void => {
    if (!listens) return;
    const name = key.name ?? key.sequence ?? '';
    if (isLeaving(key)) pressed.resolve(null);
    else if (keys.includes(name) && key.ctrl !== true && key.meta !== true) pressed.resolve(name);
  };
  const leave = (): void => pressed.resolve(null);
  emitKeypressEvents(stdin);
  stdin.setRawMode(true);
  stdin.resume();
  stdin.on('keypress', onKey);
  stdin.once('end', leave);
  over.addEventListener('abort', leave);
  try {
    await setTimeout(TYPED_AHEAD_MS);
    if (over.aborted) return null;
    listens = true;
    show();
    return await pressed.promise;
  } finally {
    stdin.off('keypress', onKey);
    stdin.off('end', leave);
    over.removeEventListener('abort', leave);
    stdin.setRawMode(false);
    stdin.pause();
  }
}
