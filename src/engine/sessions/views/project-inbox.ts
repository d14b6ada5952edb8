import path from 'node:path';
import { fileCalls } from '#io/files/file-calls.ts';
import { waitingSessions } from '#machines/session/waiting-sessions.ts';
import { isInConflict } from '#protocol/in-conflict.ts';
import type { SessionId } from '#protocol/id.ts';
import type { Inbox, WaitingHalt, WaitingSession } from '#protocol/inbox.ts';
import type { RunSummary } from '#protocol/run-summary.ts';
import { clashLines } from '#protocol/semantic-clash-text.ts';
import { BASE_SIDE, type PairSemantics } from '#protocol/semantic-clash.ts';
import type { Session } from '#protocol/session.ts';
import { shellWord } from '#protocol/shell-word.ts';
import { answerCommands } from '../../run/answer-commands.ts';
import { projectRuns } from '../../durable/project.ts';
import { readOverlaps } from '../watching/overlap-store.ts';
import { latestSemantics } from '../watching/pair-semantics.ts';
import { sessionOf, whyNoRun } from '../model/session-runs.ts';
import { storedSessions } from './list-sessions.ts';

/** What is known about the work of a waiting session. */
interface Doubts {
  /** Its resolver has left conflicts for a person. */
  readonly inConflict: boolean;
  /** Its work does not fit together with that of another session or of its base. */
  readonly clashes: boolean;
}

/** Returns commands that continue a waiting session, most likely first. Work that clashes is not offered for merging. */
function sessionAnswers(
  { session, state, why }: Omit<WaitingSession, 'answers'>,
  { inConflict, clashes }: Doubts,
): readonly string[] {
  const of = (verb: string): string => `robosmith sessions ${verb} ${session}`;
  if (inConflict) return [of('terminal'), of('update'), of('show')];
  if (state !== 'ready') return [of('resume'), of('show'), of('discard')];
  if (clashes) return [of('show'), of('update')];
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
    answers: answerCommands(resume, halt, halts.length === 1, null),
  }));
}

const isLive = ({ state }: Session): boolean => state !== 'merged' && state !== 'discarded';

/** Returns a warning about clashes that a person should know before a session is merged, or null. */
function clashOf(id: SessionId, all: readonly Session[], semantics: readonly PairSemantics[]): string | null {
  for (const { sessions, clashes } of semantics) {
    const [first] = clashes;
    if (!sessions.includes(id) || first === undefined) continue;
    const own = all.find((one) => one.id === id);
    const other = all.find((one) => sessions.includes(one.id) && one.id !== id && isLive(one));
    const name = sessions.includes(BASE_SIDE) ? own?.baseBranch : other && `${other.title} (${other.id})`;
    if (name !== undefined) return `Clash (semantic) with ${name}, ${clashLines(first).join('\n')}`;
  }
  return null;
}

/**
 * Returns everything that waits for a person in a project. Only reads, so it works while another process owns the
 * engine.
 */
export function projectInbox(root: string): Inbox {
  const all = storedSessions(root);
  const listings = projectRuns(root);
  const summaries = listings.flatMap((listing) => (listing.kind === 'run' ? [listing.summary] : []));
  const runs = waitingRuns(summaries, all);
  const inConflict = new Set(all.filter((one) => one.resolving !== null || isInConflict(one)).map(({ id }) => id));
  const semantics = latestSemantics(readOverlaps(fileCalls, path.join(root, '.flow')));
  const sessions = waitingSessions(all, new Set(runs.map(({ run }) => run)));
  return {
    waiting: runs.flatMap((summary) => haltsOf(summary, all)).sort((one, other) => one.since - other.since),
    sessions: sessions.map((one) => {
      const clash = clashOf(one.session, all, semantics);
      return {
        ...one,
        why: one.why ?? clash,
        answers: sessionAnswers(one, { inConflict: inConflict.has(one.session), clashes: clash !== null }),
      };
    }),
    interrupted: summaries.filter((one) => isInterrupted(one, all)).map(({ run }) => run),
    damaged: listings.flatMap(({ kind, run }) => (kind === 'damaged' ? [run] : [])),
  };
}
