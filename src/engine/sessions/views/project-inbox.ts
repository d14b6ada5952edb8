import { waitingSessions } from '#machines/session/waiting-sessions.ts';
import { isInConflict } from '#protocol/in-conflict.ts';
import type { Inbox, WaitingHalt, WaitingSession } from '#protocol/inbox.ts';
import type { RunSummary } from '#protocol/run-summary.ts';
import { BASE_SIDE, clashLines } from '#protocol/semantic-clash.ts';
import type { SessionListing } from '#protocol/session-listing.ts';
import type { Session, SessionName } from '#protocol/session.ts';
import { shellWord } from '#protocol/shell-word.ts';
import { answerCommands } from '../../run/answer-commands.ts';
import { projectRuns } from '../../durable/project.ts';
import { sessionOf, whyNoRun } from '../model/session-runs.ts';
import { projectSessions, storedSessions } from './list-sessions.ts';

/** What is known about the work of a waiting session. */
interface Doubts {
  /** Its resolver has left conflicts for a person. */
  readonly inConflict: boolean;
  /** Its work does not fit together with that of another session or of its base. */
  readonly clashes: boolean;
  /** It has changed something that can be merged. */
  readonly hasWork: boolean;
}

/** Returns commands that continue a waiting session, most likely first. Work that clashes is not offered for merging. */
function sessionAnswers(
  { session, state, why }: Omit<WaitingSession, 'answers'>,
  { inConflict, clashes, hasWork }: Doubts,
): readonly string[] {
  const of = (verb: string): string => `robosmith sessions ${verb} ${session}`;
  if (inConflict) return [of('terminal'), of('update'), of('show')];
  if (state !== 'ready') return [of('resume'), of('show'), of('discard')];
  if (clashes) return [of('show'), of('update')];
  if (!hasWork) return [of('show'), of('discard')];
  return why === null ? [of('merge'), of('show'), of('discard')] : [of('show'), of('update'), of('merge')];
}

/** Returns runs with a halt that may be answered now: runs of held, queued or ended sessions are excluded. */
export const waitingRuns = (summaries: readonly RunSummary[], sessions: readonly Session[]): readonly RunSummary[] =>
  summaries.filter(({ run, halts }) => {
    const session = sessionOf(sessions, run);
    return halts.length > 0 && (session === null || whyNoRun(session) === null);
  });

/** Returns whether a run is interrupted and may be resumed: not in held, queued or ended sessions. */
function isInterrupted({ run, status }: RunSummary, sessions: readonly Session[]): boolean {
  const session = sessionOf(sessions, run);
  return status === 'interrupted' && (session === null || whyNoRun(session) === null);
}

function haltsOf({ run, node, steps, halts }: RunSummary, sessions: readonly Session[]): readonly WaitingHalt[] {
  const session = sessionOf(sessions, run);
  const resume = (...flags: readonly string[]): string =>
    ['robosmith', 'resume', run, ...flags].map(shellWord).join(' ');
  return halts.map((halt) => ({
    run,
    session: session?.id ?? null,
    title: session?.title ?? null,
    node,
    steps,
    ...halt,
    answers: answerCommands(resume, halt, null),
  }));
}

/** Returns a warning about clashes that a person should know before a session is merged, or null. */
function clashOf({ conflicts, semantics }: SessionListing): string | null {
  const nameOf = ({ id, title }: SessionName): string => (id === BASE_SIDE ? title : `${title} (${id})`);
  const [met] = conflicts ?? [];
  if (met !== undefined) return `Clash with ${nameOf(met.with)}: ${met.files.join(', ')}`;
  const [other] = semantics;
  const [first] = other?.clashes ?? [];
  if (other === undefined || first === undefined) return null;
  return `Clash (semantic) with ${nameOf(other.with)}, ${clashLines(first).join('\n')}`;
}

/**
 * Returns everything that waits for a person in a project. Only reads, so it works while another process owns the
 * engine. `listed`: the sessions, if the caller has just listed them.
 */
export async function projectInbox(root: string, listed?: readonly SessionListing[]): Promise<Inbox> {
  const all = storedSessions(root);
  const listings = projectRuns(root);
  const summaries = listings.flatMap((listing) => (listing.kind === 'run' ? [listing.summary] : []));
  const runs = waitingRuns(summaries, all);
  const inConflict = new Set(all.filter((one) => one.resolving !== null || isInConflict(one)).map(({ id }) => id));
  const sessions = waitingSessions(all, new Set(runs.map(({ run }) => run)));
  const known = sessions.length === 0 ? [] : (listed ?? (await projectSessions(root)));
  return {
    waiting: runs.flatMap((summary) => haltsOf(summary, all)).sort((one, other) => one.since - other.since),
    sessions: sessions.map((one) => {
      const listing = known.find(({ session }) => session.id === one.session);
      const clash = listing === undefined ? null : clashOf(listing);
      const hasWork = listing === undefined || listing.session.changed.length > 0;
      return {
        ...one,
        why: one.why ?? clash,
        answers: sessionAnswers(one, { inConflict: inConflict.has(one.session), clashes: clash !== null, hasWork }),
      };
    }),
    retrying: summaries.flatMap(({ run, retries = [] }) => retries.map((retry) => ({ run, ...retry }))),
    interrupted: summaries.filter((one) => isInterrupted(one, all)).map(({ run }) => run),
    damaged: listings.flatMap(({ kind, run }) => (kind === 'damaged' ? [run] : [])),
  };
}
