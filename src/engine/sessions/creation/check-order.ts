import type { SessionManager } from '#actors/session/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { SessionId } from '#protocol/id.ts';
import type { SessionOrder } from '#protocol/session-api.ts';
import { isTitle, LONGEST_TITLE } from './make-session.ts';

type KnownSessions = Pick<SessionManager, 'find'>;

export function checkOrder({ title, priority, after }: SessionOrder, manager: KnownSessions): void {
  checkTitle(title);
  checkPriority(priority);
  checkAfter(after, manager);
}

export function checkTitle(title: string | undefined): void {
  if (title !== undefined && !isTitle(title))
    throw new RoboSmithError('usage', `A title is one line of 1 to ${String(LONGEST_TITLE)} characters.`);
}

export function checkPriority(priority: number | null | undefined): void {
  if (typeof priority === 'number' && !(Number.isSafeInteger(priority) && priority >= 1))
    throw new RoboSmithError('usage', 'A priority is a whole number from 1 on; 1 goes first.');
}

export function checkAfter(after: readonly SessionId[], manager: KnownSessions): void {
  const unknown = after.find((id) => manager.find(id) === null);
  if (unknown !== undefined) throw new RoboSmithError('usage', `There is no session ${unknown} to wait for.`);
  const discarded = after.find((id) => manager.find(id)?.state === 'discarded');
  if (discarded !== undefined)
    throw new RoboSmithError('usage', `Session ${discarded} is discarded and will never be merged.`, {
      next: [`robosmith sessions restore ${discarded}`],
    });
}

/** Returns the cycle of sessions that wait for each other, starting at this one; null if there is none. */
function circle(of: SessionId, after: readonly SessionId[], manager: KnownSessions): readonly SessionId[] | null {
  const seen = new Set<SessionId>();
  const wayFrom = (id: SessionId): readonly SessionId[] | null => {
    if (id === of) return [id];
    if (seen.has(id)) return null;
    seen.add(id);
    for (const next of manager.find(id)?.after ?? []) {
      const way = wayFrom(next);
      if (way !== null) return [id, ...way];
    }
    return null;
  };
  for (const id of after) {
    const way = wayFrom(id);
    if (way !== null) return [of, ...way];
  }
  return null;
}

/** Throws `usage` if sessions would wait for each other. */
export function checkCircle(id: SessionId, after: readonly SessionId[], manager: KnownSessions): void {
  const round = circle(id, after, manager);
  if (round === null) return;
  throw new RoboSmithError('usage', `These sessions would wait for each other forever: ${round.join(' → ')}.`, {
    next: [`robosmith sessions change ${round.at(-2) ?? id} --after none`],
  });
}
