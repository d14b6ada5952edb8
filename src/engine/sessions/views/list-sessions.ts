import path from 'node:path';
import { type Place, readRun, entriesInForce } from '#actors/journal/index.ts';
import { readSessions } from '#actors/session/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { createGit } from '#io/git/plumbing/git.ts';
import { tipsOf } from '#io/git/plumbing/quiet-git.ts';
import { processes } from '#io/process/process.ts';
import type { ReadStatus } from '#io/git/plumbing/read-status.ts';
import { readStatuses } from '#io/git/plumbing/read-statuses.ts';
import { viewSessions } from '#machines/session/view-sessions.ts';
import type { CallSum } from '#protocol/call-record.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { RunId, SessionId } from '#protocol/id.ts';
import type { RunSummary } from '#protocol/run-summary.ts';
import type { Session } from '#protocol/session.ts';
import type { SessionListing } from '#protocol/session-listing.ts';
import { sumCalls } from '#logic/calls/sum-calls.ts';
import { paidCalls } from '../../ai/project-calls.ts';
import { engineOwner } from '#io/engine-lock/engine-owner.ts';
import { listRun } from '../../durable/project-runs.ts';
import { sessionOf, whyNoRun } from '../model/session-runs.ts';
import { maxParallelOf } from '../model/max-parallel.ts';
import { healthOfAll } from './session-health.ts';
import type { Environment } from '../watching/compare-here.ts';
import { refreshListed } from '../watching/refresh-listed.ts';
import { readMoves } from '#actors/event-log/index.ts';
import type { SessionMoved } from '#protocol/session-event.ts';

/** Time limits, since lists are refreshed often. Data that git does not return in time is shown as unknown. */
const LIMITS = { healthMs: 5_000, conflictsMs: 3_000 };

/** Returns the stored sessions, without looking up anything. */
export const storedSessions = (root: string): readonly Session[] =>
  readSessions({ calls: fileCalls, folder: path.join(root, '.flow') }).sessions;

/** Returns the session that a run works for; null if none, or if the list can't be read. */
export function storedSessionOf(root: string, run: RunId): Session | null {
  try {
    return sessionOf(storedSessions(root), run);
  } catch (thrown) {
    // A damaged list is reported by the engine, and must not block a run.
    if (thrown instanceof RoboSmithError && thrown.code === 'corrupt_state') return null;
    throw thrown;
  }
}

/** Throws `wrong_state` if the run belongs to a session whose state allows no run. */
export function checkMayResume(root: string, run: RunId): void {
  const session = storedSessionOf(root, run);
  const why = session === null ? null : whyNoRun(session);
  if (why !== null) throw why;
}

/** Returns the number of the latest attempt; read from the journal only in states in which it is displayed. */
function attemptOf(place: Place, { state, runs }: Session): number | null {
  const newest = runs.at(-1);
  if (newest === undefined || (state !== 'running' && state !== 'halted')) return null;
  const reading = readRun(place, newest);
  if (reading.kind !== 'read') return null;
  const intent = entriesInForce(reading.run.entries).findLast(({ type }) => type === 'intent');
  return intent?.type === 'intent' ? intent.attempt : null;
}

interface ListOptions {
  readonly limits?: typeof LIMITS;
  /**
   * The environment of a server that compares what was not compared yet, while no process owns the engine. Null: the
   * results that an engine or an earlier list has stored are shown.
   */
  readonly environment?: Environment | null;
}

/**
 * Lists all sessions of a project in the order of their creation. Throws `corrupt_state` if they can't be read. Only
 * reads, so it works while another process owns the engine.
 */
export async function projectSessions(
  root: string,
  { limits = LIMITS, environment = null }: ListOptions = {},
): Promise<readonly SessionListing[]> {
  const place = { calls: fileCalls, folder: path.join(root, '.flow') };
  const { sessions } = readSessions(place);
  if (sessions.length === 0) return [];
  const rules = { maxParallel: await maxParallelOf(root), foldCase: true };
  const owner = engineOwner(root);
  const newestRun = ({ runs }: Session): RunSummary | null => {
    const newest = runs.at(-1);
    const listing = newest === undefined ? null : listRun(place, newest, owner);
    return listing?.kind === 'run' ? listing.summary : null;
  };
  const calls = paidCalls(root);
  const callsOf = ({ runs }: Session): CallSum | null => {
    const own = calls.filter(({ run }) => run !== null && runs.some((one) => one === run));
    return own.length === 0 ? null : sumCalls(own, 'run').all;
  };
  const statuses = new Map<string, ReadStatus | null>();
  const tipOf = tipsOf(createGit(processes), root);
  const health = await healthOfAll(sessions, {
    limitMs: limits.healthMs,
    tipOf,
    statusOf: readStatuses({ processes, worktrees: sessions.flatMap(({ worktree }) => worktree ?? []) }),
    onStatus: (worktree, status) => statuses.set(worktree, status),
  });
  const looked = await refreshListed(root, sessions, statuses, {
    mostMs: limits.conflictsMs,
    tipOf,
    environment: owner === null ? environment : null,
  });
  return viewSessions(looked.sessions, rules, looked).map((view, index) => ({
    ...view,
    run: newestRun(view.session),
    calls: callsOf(view.session),
    health: health[index] ?? { colour: 'green', reason: '' },
    attempt: attemptOf(place, view.session),
  }));
}

/**
 * Returns the state changes of a session, oldest first, as far as the event log goes back. Only reads, so it works
 * while another process owns the engine.
 */
export const sessionHistory = (root: string, session: SessionId): readonly SessionMoved[] =>
  readMoves(fileCalls, path.join(root, '.flow'), session);
