import type { Session } from '#protocol/session.ts';
import type { SessionEvent } from './session.machine.ts';

type Working = Pick<Session, 'job' | 'isDone' | 'resolving'>;

/** Returns whether a run begins or continues when the session's turn comes. */
export const hasWork = ({ job, isDone, resolving }: Working): boolean =>
  resolving !== null || (job !== null && !isDone);

/** Returns whether the newest run is the resolver's. */
export const isResolved = ({ runs, resolving }: Pick<Session, 'runs' | 'resolving'>): boolean =>
  resolving !== null && runs.length > resolving.known;

type Patch = Pick<Session, 'why'> & Partial<Pick<Session, 'resolving' | 'update'>>;

/**
 * Returns the event and the changes for a session whose resolver has ended successfully: back to the former state, or
 * halted with the reason why the update could not be concluded.
 */
export function afterResolving(
  { id, resolving }: Pick<Session, 'id' | 'resolving'>,
  end: { readonly ok: true } | { readonly ok: false; readonly why: string },
): { readonly event: SessionEvent; readonly patch: Patch } {
  if (!end.ok)
    return {
      event: { type: 'run.halted' },
      patch: {
        why: `its resolver has ended: ${end.why}\nThen robosmith sessions update ${id}; --abort undoes the update`,
      },
    };
  const { stood = 'ready', why = null } = resolving ?? {};
  const events = { ready: 'run.completed', failed: 'run.failed', halted: 'run.halted' } as const;
  return { event: { type: events[stood] }, patch: { why, resolving: null, update: null } };
}
