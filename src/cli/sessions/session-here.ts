import path from 'node:path';
import type { Session } from '#protocol/session.ts';
import { usageError } from '../terminal/usage-error.ts';
import { findSession } from './find-session.ts';

/** The maximum number of suggested commands. */
const MOST = 5;

const isIn = (folder: string, cwd: string): boolean => {
  const from = path.relative(folder, cwd);
  return from !== '..' && !from.startsWith(`..${path.sep}`) && !path.isAbsolute(from);
};

const isOpen = ({ state, worktree }: Session): boolean =>
  worktree !== null && state !== 'merged' && state !== 'discarded';

/**
 * Returns the named session. Without a name: the session of the current folder, else the only one that waits for a
 * person, else the only one that is not over. `command` is suggested for each session if several are possible.
 */
export function sessionOrHere(
  name: string | undefined,
  sessions: readonly Session[],
  cwd: string,
  command: string,
): Session {
  if (name !== undefined) return findSession(name, sessions);
  const open = sessions.filter(isOpen);
  const here = open.find(({ worktree }) => worktree !== null && isIn(worktree, cwd));
  if (here !== undefined) return here;
  const waiting = open.filter(({ state }) => state === 'halted');
  const possible = waiting.length === 0 ? open : waiting;
  const [only, ...others] = possible;
  if (only === undefined) throw usageError('This project has no active session.', ['robosmith sessions --all']);
  if (others.length === 0) return only;
  const titles = possible.slice(0, MOST).map(({ id, title }) => `${title} (${id})`);
  const what = waiting.length === 0 ? 'are active' : 'wait for a person';
  throw usageError(
    `Name the session: ${String(possible.length)} ${what} (${titles.join(', ')}${possible.length > MOST ? ', …' : ''}).`,
    possible.slice(0, MOST).map(({ id }) => `${command} ${id}`),
  );
}
