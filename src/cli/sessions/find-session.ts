import { hasEnded, type Session } from '#protocol/session.ts';
import { didYouMean } from '#protocol/nearest.ts';
import { usageError } from '../terminal/usage-error.ts';

/** The maximum number of ids listed in a message. */
const MOST = 5;

/** Returns the command that lists all candidates, including merged and discarded sessions. */
const listOf = (sessions: readonly Session[]): string =>
  sessions.some(hasEnded) ? 'robosmith sessions --all' : 'robosmith sessions';

/** Returns the session with this id, title or branch, or with this unique prefix of its id. */
export function findSession(name: string, sessions: readonly Session[]): Session {
  const named = sessions.filter(({ id, title, branch }) => id === name || title === name || branch === name);
  // Titles can repeat: prefer the session that is not merged or discarded.
  const live = named.filter((session) => !hasEnded(session));
  // A session that could not be created has nothing, so it does not make its title ambiguous.
  const made = live.filter(({ state, base }) => state !== 'failed' || base !== null);
  const begun = name.length < 2 ? [] : sessions.filter(({ id }) => id.startsWith(name));
  const found = [made, live, named, begun].find((list) => list.length > 0) ?? [];
  const [only, ...others] = found;
  if (only === undefined) {
    const near = didYouMean(
      name,
      sessions.flatMap(({ id, title }) => [id, title]),
    );
    throw usageError(`There is no session "${name}" in this project.${near}`, [listOf(sessions)]);
  }
  if (others.length === 0) return only;
  const some = found
    .slice(0, MOST)
    .map(({ id }) => id)
    .join(', ');
  throw usageError(`"${name}" matches ${String(found.length)} sessions (${some}). Use the id.`, [listOf(sessions)]);
}
