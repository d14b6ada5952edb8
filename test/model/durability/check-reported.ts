import type { Place } from '#actors/journal/index.ts';
import type { PathEntry } from '#protocol/response.ts';
import { checkStates } from './check-states.ts';
import { isOver, type ObservedRun } from './observed-run.ts';

const fail = (what: string): never => {
  throw new RangeError(what);
};

/**
 * Returns whether a path entry is final. A stop also reports the visits that it interrupted, but these are repeated
 * later.
 */
const isForGood = ({ action }: PathEntry): boolean => action !== null;

/**
 * Checks a run after a session, no matter how the session ended: everything that was reported to the outside is in the
 * journal, and nothing was executed twice.
 */
export function checkReported(run: ObservedRun, place: Place): void {
  const { id, reported, executed, violations, entries } = run;
  if (violations.length > 0) fail(violations.join('\n'));
  if (new Set(executed).size < executed.length) fail(`executed again: ${executed.join(', ')}`);
  const path = new Set(entries.map((entry) => (entry.type === 'path' ? JSON.stringify(entry.entry) : '')));
  const lost = reported.path.find((entry) => isForGood(entry) && !path.has(JSON.stringify(entry)));
  if (lost !== undefined) fail(`told and lost: ${JSON.stringify(lost)}`);
  const halts = new Set(entries.map((entry) => (entry.type === 'halt' ? entry.halt : null)));
  for (const halt of reported.halts) if (!halts.has(halt)) fail(`told and lost: halt ${halt}`);
  const answered = new Set(entries.map((entry) => (entry.type === 'answer' ? entry.halt : null)));
  for (const halt of reported.answered) if (!answered.has(halt)) fail(`told and lost: the answer to ${halt}`);
  if (isOver(run) && !entries.some(({ type }) => type === 'end'))
    fail(`told and lost: the end of ${run.source} (${JSON.stringify(run.response?.details)})`);
  if (entries.length === 0 && (reported.events > 0 || executed.length > 0)) fail(`told and lost: ${run.source}`);
  if (id !== null) checkStates(place, id, entries);
}
