import { findRuns, storedSessions } from '#engine/index.ts';
import type { RunId } from '#protocol/id.ts';
import { usageError } from '../terminal/usage-error.ts';

/** The maximum number of ids listed in a message. */
const MOST = 5;

/**
 * Returns the error for an unknown run. A run that was interrupted before its start leaves at most a folder; if it
 * belongs to a session, the engine host starts it with this id.
 */
export function noSuchRun(text: string, root: string): Error {
  const session = text === '' ? undefined : storedSessions(root).find(({ runs }) => runs.some((run) => run === text));
  return session === undefined
    ? usageError(`There is no run "${text}" in this project.`, ['robosmith runs'])
    : usageError(
        `${text} has not started yet. Its session ${session.id} "${session.title}" starts it in the engine host.`,
        ['robosmith host start', `robosmith sessions show ${session.id}`],
      );
}

/** Returns the run with this id or unique prefix. */
export function findRun(text: string, root: string): RunId {
  const found = text === '' ? [] : findRuns(root, text);
  const exact = found.find((run) => run === text);
  const [only, ...others] = found;
  if (exact !== undefined) return exact;
  if (only === undefined) throw noSuchRun(text, root);
  if (others.length === 0) return only;
  const some = found.slice(0, MOST).join(', ');
  throw usageError(
    `"${text}" is the beginning of ${found.length} runs (${some}${found.length > MOST ? ', …' : ''}): type more characters.`,
    ['robosmith runs'],
  );
}

/** Parses `<run>@<step>`. */
export function findStep(text: string, root: string): { readonly run: RunId; readonly step: number } {
  const [, name, digits] = /^([^@]+)@(\d{1,9})$/.exec(text) ?? [];
  if (name !== undefined && digits !== undefined) return { run: findRun(name, root), step: Number(digits) };
  throw usageError(`"${text}" is not a step: write <run>@<step>, with a step number from \`robosmith runs show\`.`, [
    'robosmith runs',
  ]);
}
