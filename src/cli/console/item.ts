import type { Spent } from '#protocol/spent.ts';
import { spentIn, sumSpent } from '#protocol/call-record.ts';
import type { DiskUse, ProjectStatus } from '#engine/index.ts';
import type { RunId, SessionId } from '#protocol/id.ts';
import type { Inbox, WaitingHalt } from '#protocol/inbox.ts';
import type { RunSummary } from '#protocol/run-summary.ts';
import type { SessionListing } from '#protocol/session-listing.ts';
import { shortBlock } from '../print/short-names.ts';
import { cutOffRun, noteOf, unfinishedSessions } from '../print/sessions.ts';

/** The groups of the list, in the order in which they are displayed. */
const GROUPS = ['waiting', 'interrupted', 'running', 'queued', 'resting'] as const;

export type Group = (typeof GROUPS)[number];

/** The changes of a session or a directory, as counts. */
export interface ItemChanges {
  readonly added: number;
  readonly deleted: number;
  readonly files: number;
}

/** One entry of the console: a session, or a run outside of sessions. Texts may be hostile until they are displayed. */
export interface Item {
  /** The id of the session, or of the run. */
  readonly key: string;
  readonly session: SessionId | null;
  readonly run: RunId | null;
  readonly title: string;
  readonly group: Group;
  /** The state, as one word. */
  readonly state: string;
  /** The name of the current block; empty if none is. */
  readonly place: string;
  /** The time from which the item has waited or existed, in milliseconds since the epoch. */
  readonly since: number;
  /** Its open halts, oldest first. */
  readonly halts: readonly WaitingHalt[];
  /** Why the item waits, has failed or needs attention; empty if there is nothing to report. */
  readonly note: string;
  /** The end of its last output; empty if there was none. */
  readonly said: string;
  readonly changes: ItemChanges | null;
  /** Null if no model was called. */
  readonly cost: Spent | null;
  /** The branch that a session is merged into; null for a run. */
  readonly base: string | null;
  /** What a person can resume: the session, its interrupted run, or its failed run. Null if nothing can be resumed. */
  readonly resumes: 'session' | 'run' | 'failed_run' | null;
}

/** Everything that the console displays. */
export interface Snapshot {
  readonly items: readonly Item[];
  readonly engine: ProjectStatus['engine'];
  /** The number of sessions that are merged or discarded and not displayed. */
  readonly over: number;
  /** The number of worktree problems. */
  readonly findings: number;
  readonly disk: DiskUse | null;
}

/** The facts from which a snapshot is made. */
export interface SnapshotFacts {
  readonly status: ProjectStatus;
  readonly inbox: Inbox;
  /** The changes, by the id of a session or of a run. */
  readonly changes: ReadonlyMap<string, ItemChanges>;
  /** The end of the last output, by run. */
  readonly said: ReadonlyMap<string, string>;
  readonly costs: ReadonlyMap<string, Spent>;
  readonly disk: DiskUse | null;
  readonly all: boolean;
}

const MOVING: ReadonlySet<string> = new Set(['creating', 'merging', 'updating', 'holding', 'discarding']);

function groupOf({ session }: SessionListing, isWaiting: boolean, isCutOff: boolean): Group {
  if (isWaiting) return 'waiting';
  if (isCutOff) return 'interrupted';
  if (session.state === 'running' || MOVING.has(session.state)) return 'running';
  return session.state === 'queued' ? 'queued' : 'resting';
}

const costOf = ({ calls }: SessionListing): Spent | null => (calls === null ? null : spentIn(calls));

/** Returns the blocks that wait, or the block entered last. */
function placeOf(run: RunSummary | null, halts: readonly WaitingHalt[]): string {
  if (run === null) return '';
  const [first, ...others] = halts;
  if (first === undefined) return shortBlock(run.block, run.node);
  return `${shortBlock(first.block, first.node)}${others.length === 0 ? '' : ` +${others.length}`}`;
}

const AT_A_BLOCK: ReadonlySet<string> = new Set(['running', 'halted', 'failed']);

function resumesOf({ session, run }: SessionListing, isCutOff: boolean): Item['resumes'] {
  if (isCutOff) return 'run';
  if (session.state === 'held' || session.state === 'failed') return 'session';
  return session.state === 'halted' && run?.status === 'failed' ? 'session' : null;
}

/**
 * Returns the output that the first halt has recorded for the person who decides, otherwise the last output of the run.
 */
const saidBy = (run: RunId | null, halts: readonly WaitingHalt[], { said }: SnapshotFacts): string =>
  halts.at(0)?.last?.content ?? (run === null ? '' : (said.get(run) ?? ''));

function sessionItem(listing: SessionListing, facts: SnapshotFacts): Item {
  const { session, run, health } = listing;
  const { id, title, state, createdAt, baseBranch } = session;
  const halts = facts.inbox.waiting.filter((one) => one.session === id);
  const asks = facts.inbox.sessions.find((one) => one.session === id) ?? null;
  const isCutOff = cutOffRun(listing) !== null;
  const note = noteOf(listing);
  const ownReason = note === '' && health.colour !== 'green' && health.reason !== 'working' ? health.reason : note;
  return {
    key: id,
    session: id,
    run: run?.run ?? null,
    title,
    group: groupOf(listing, halts.length > 0 || asks !== null, isCutOff),
    state: halts.length > 0 ? 'waits' : isCutOff ? (run?.status ?? state) : state,
    place: AT_A_BLOCK.has(state) ? placeOf(run, halts) : '',
    since: halts[0]?.since ?? asks?.since ?? createdAt,
    halts,
    note: halts.length > 0 ? '' : (asks?.why ?? ownReason),
    said: saidBy(run?.run ?? null, halts, facts),
    changes: facts.changes.get(id) ?? null,
    cost: costOf(listing),
    base: baseBranch,
    resumes: resumesOf(listing, isCutOff),
  };
}

function runItem(run: RunSummary, facts: SnapshotFacts): Item {
  const halts = facts.inbox.waiting.filter((one) => one.run === run.run);
  const isWaiting = halts.length > 0;
  const isCutOff = run.status === 'interrupted' || run.status === 'paused';
  return {
    key: run.run,
    session: null,
    run: run.run,
    title: `${run.node} (no session)`,
    group: isWaiting ? 'waiting' : isCutOff ? 'interrupted' : 'running',
    state: isWaiting ? 'waits' : run.status,
    place: placeOf(run, halts),
    since: halts[0]?.since ?? run.started_at,
    halts,
    note: '',
    said: saidBy(run.run, halts, facts),
    changes: facts.changes.get(run.run) ?? null,
    cost: facts.costs.get(run.run) ?? null,
    base: null,
    resumes: isCutOff ? 'run' : null,
  };
}

/** Returns the sort key of an item: what waits longest comes first, other items in the order of their creation. */
const order = (one: Item, other: Item): number =>
  GROUPS.indexOf(one.group) - GROUPS.indexOf(other.group) || one.since - other.since;

/** Makes the displayed data from the stored state. */
export function snapshotOf(facts: SnapshotFacts): Snapshot {
  const { status, all, disk } = facts;
  const shown = all ? status.sessions : unfinishedSessions(status.sessions);
  return {
    items: [
      ...shown.map((listing) => sessionItem(listing, facts)),
      ...status.runs.map((run) => runItem(run, facts)),
    ].sort(order),
    engine: status.engine,
    over: status.sessions.length - shown.length,
    findings: status.findings ?? 0,
    disk,
  };
}

/** Sums the costs of the displayed items; null if none has called a model. */
export function sumOfCosts(items: readonly Item[]): Spent | null {
  const costs = items.flatMap(({ cost }) => cost ?? []);
  return costs.length === 0 ? null : costs.reduce(sumSpent);
}
