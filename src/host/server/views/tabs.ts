import { isInConflict } from '#protocol/in-conflict.ts';
import type { InboxEntry, SessionTab } from '#protocol/generated/view.gen.ts';
import { whyText } from '#protocol/response.ts';
import type { Inbox } from '#protocol/inbox.ts';
import type { RunStatus } from '#protocol/run-status.ts';
import type { RunListing, RunSummary } from '#protocol/run-summary.ts';
import type { SessionListing } from '#protocol/session-listing.ts';

/** The maximum number of finished runs outside of sessions that keep a tab. */
const MOST_ENDED = 3;

const isAnswered = ({ run }: SessionListing): boolean =>
  run === null || run.halts.every(({ until }) => until !== null) || run.status !== 'halted';

function needsPerson(listing: SessionListing): boolean {
  const { session, health } = listing;
  const asks = session.state === 'halted' || session.state === 'failed' || isInConflict(session);
  return asks || health.colour === 'red' || !isAnswered(listing);
}

const placeOf = (block: string): string => block.replace('__', ' › ');

/** Returns what the session's run waits for a person for; null if it does not wait. */
function waitText({ session, run }: SessionListing): string | null {
  const halt = session.state === 'halted' ? run?.halts.find(({ until }) => until === null) : undefined;
  return halt === undefined ? null : `${placeOf(halt.block)} waits: ${whyText(halt.why)}.`;
}

function tabOfSession(listing: SessionListing): SessionTab {
  const { session, overlap, clashes, queue, order, waits, health } = listing;
  const clashing = clashes.flatMap(({ files }) => files);
  return {
    key: session.id,
    session: session.id,
    run: session.runs.at(-1) ?? null,
    title: session.title,
    state: session.state,
    health: { colour: health.colour, reason: health.reason },
    queue,
    order,
    // A merged session is no longer compared with others.
    overlap: session.state === 'merged' ? 'Clear' : overlap,
    waits:
      waits === null
        ? null
        : {
            why: waits.why,
            for: waits.for.map(({ id, title }) => ({ session: id, title })),
            files: waits.why === 'clash' ? [...new Set(clashing)] : [],
          },
    clashes: clashes.map(({ with: { id, title }, files }) => ({ with: { session: id, title }, files })),
    branch: session.branch,
    baseBranch: session.baseBranch,
    hasWorktree: session.worktree !== null,
    needsPerson: needsPerson(listing),
    why: waitText(listing) ?? session.why,
  };
}

const STATE: Readonly<Record<RunStatus, Pick<SessionTab, 'state' | 'queue'>>> = {
  running: { state: 'running', queue: 'running' },
  halted: { state: 'halted', queue: 'halted' },
  paused: { state: 'halted', queue: 'halted' },
  interrupted: { state: 'halted', queue: 'halted' },
  completed: { state: 'ready', queue: 'complete' },
  failed: { state: 'failed', queue: 'halted' },
  cancelled: { state: 'discarded', queue: 'complete' },
};

function tabOfRun({ run, node, status, halts, reason }: RunSummary): SessionTab {
  const needs = status === 'failed' || status === 'interrupted' || halts.some(({ until }) => until === null);
  const colour = status === 'failed' ? 'red' : needs ? 'amber' : 'green';
  return {
    key: run,
    session: null,
    run,
    title: node,
    ...STATE[status],
    overlap: 'Unchecked',
    order: null,
    health: { colour, reason: `The run is ${status}.` },
    waits: null,
    clashes: [],
    branch: null,
    baseBranch: null,
    hasWorktree: false,
    needsPerson: needs,
    why: reason === null ? null : reason.replaceAll('_', ' '),
  };
}

const GONE: ReadonlySet<string> = new Set(['discarded']);

/** Returns the runs outside of sessions: unfinished ones, and the newest of the others. */
function runsApart(listings: readonly RunListing[], inSessions: ReadonlySet<string>): readonly RunSummary[] {
  const apart = listings.flatMap((one) => (one.kind === 'run' && !inSessions.has(one.run) ? [one.summary] : []));
  const isOver = ({ status }: RunSummary): boolean => ['completed', 'failed', 'cancelled'].includes(status);
  return [...apart.filter((one) => !isOver(one)), ...apart.filter(isOver).slice(0, MOST_ENDED)];
}

/** Returns the tabs of the ticker: those that need a person come first, merged sessions last. */
export function tabsOf(sessions: readonly SessionListing[], runs: readonly RunListing[]): readonly SessionTab[] {
  const inSessions = new Set(sessions.flatMap(({ session }) => session.runs as readonly string[]));
  const shown = sessions.filter(({ session }) => !GONE.has(session.state)).map(tabOfSession);
  const tabs = [...shown, ...runsApart(runs, inSessions).map(tabOfRun)];
  const rank = ({ needsPerson: needs, state }: SessionTab): number => (needs ? 0 : state === 'merged' ? 2 : 1);
  return tabs.toSorted((one, other) => rank(one) - rank(other));
}

const SESSION_TEXT = {
  halted: 'has stopped and waits for you',
  ready: 'is done and waits to be merged',
  failed: 'has failed',
} as const;

/** Returns whether a session that is ready has changed no files, so that there is nothing to merge. */
const isEmpty = (id: string, listings: readonly SessionListing[]): boolean =>
  listings.some(({ session }) => session.id === id && session.state === 'ready' && session.changed.length === 0);

/** Returns everything that waits for a person. `listings` provides the titles of sessions. */
export function inboxEntries(
  { waiting, sessions, damaged, interrupted }: Inbox,
  listings: readonly SessionListing[],
): readonly InboxEntry[] {
  const titleOf = (id: string | null): string | null =>
    listings.find(({ session }) => session.id === id)?.session.title ?? null;
  const none = { session: null, run: null, halt: null, block: null, since: null } as const;
  return [
    ...waiting.map((halt) => ({
      // The ids of halts are unique within their run only.
      key: `halt ${halt.run} ${halt.halt_id}`,
      kind: 'halt' as const,
      session: halt.session,
      run: halt.run,
      halt: halt.halt_id,
      block: halt.block,
      title: titleOf(halt.session) ?? placeOf(halt.block),
      text: `${placeOf(halt.block)} waits: ${whyText(halt.why)}.`,
      since: halt.since,
      commands: halt.answers,
    })),
    ...sessions.map((one) => ({
      ...none,
      key: `session ${one.session}`,
      kind: one.state === 'ready' ? ('session' as const) : ('failed' as const),
      session: one.session,
      title: one.title,
      text:
        one.why ??
        (isEmpty(one.session, listings)
          ? 'It is done and has changed no files.'
          : `The session ${SESSION_TEXT[one.state]}.`),
      since: one.since,
      commands: one.answers,
    })),
    ...interrupted.map((run) => ({
      ...none,
      key: `run ${run}`,
      kind: 'interrupted' as const,
      run,
      title: run,
      text: 'The run was interrupted and can be resumed.',
      commands: [`robosmith resume ${run}`],
    })),
    ...damaged.map((run) => ({
      ...none,
      key: `run ${run}`,
      kind: 'damaged' as const,
      run,
      title: run,
      text: 'The journal of the run is damaged.',
      commands: [`robosmith runs show ${run}`],
    })),
  ];
}
