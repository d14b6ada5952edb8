import path from 'node:path';
import { type Place, readRun, visitOf } from '#actors/journal/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { RunId } from '#protocol/id.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import type { Session } from '#protocol/session.ts';
import { readKey } from './run-executions.ts';

/** One stay of a run in a block. */
export interface RunVisit {
  readonly run: RunId;
  readonly block: string;
  readonly visit: number;
}

/** The snapshots of a session's worktree around a visit. */
export interface VisitSpan extends RunVisit {
  /** When the visit's first execution began, in milliseconds since the epoch. */
  readonly at: number;
  /** The commit with the files before the visit. */
  readonly before: string;
  /** The commit with the files after the visit; null if no later step has made one, so that the files are as they are. */
  readonly after: string | null;
}

interface OpenSpan extends VisitSpan {
  after: string | null;
  /** True if an execution has ended and none has begun since. */
  isOver: boolean;
}

const placeOf = (root: string): Place => ({ calls: fileCalls, folder: path.join(root, '.flow') });

function entriesOf(root: string, run: RunId): readonly JournalEntry[] {
  const reading = readRun(placeOf(root), run);
  if (reading.kind === 'missing') return [];
  return reading.kind === 'read' ? reading.run.entries : reading.before;
}

type Intent = Extract<JournalEntry, { readonly type: 'intent' }>;

function begin(spans: Map<string, OpenSpan>, run: RunId, { key, snapshot, at }: Intent): void {
  const id = `${run}${visitOf(key)}`;
  const own = spans.get(id);
  // Files change only in steps that have a snapshot, so the next one of another visit shows what this visit has left.
  if (snapshot !== undefined)
    for (const span of spans.values()) if (span !== own && span.isOver) span.after ??= snapshot;
  if (own !== undefined) {
    own.isOver = false;
    own.after = null;
    return;
  }
  const visit = readKey(visitOf(key));
  if (snapshot !== undefined && visit !== null)
    spans.set(id, { run, block: visit.block, visit: visit.visit, at, before: snapshot, after: null, isOver: false });
}

/**
 * Returns the visits of a session that may have changed files, in the order in which they began. The branches of a FORK
 * share one worktree: the span of a visit contains what other branches changed meanwhile.
 */
export function visitSpans({ runs }: Pick<Session, 'runs'>, root: string): readonly VisitSpan[] {
  const spans = new Map<string, OpenSpan>();
  for (const run of runs)
    for (const entry of entriesOf(root, run)) {
      if (entry.type === 'intent') begin(spans, run, entry);
      const ended = entry.type === 'result' ? spans.get(`${run}${visitOf(entry.key)}`) : undefined;
      if (ended !== undefined) ended.isOver = true;
    }
  return [...spans.values()];
}

/** Returns the span of one visit; null if it can't have changed files. */
export const spanOf = (session: Pick<Session, 'runs'>, root: string, wanted: RunVisit): VisitSpan | null =>
  visitSpans(session, root).find(
    ({ run, block, visit }) => run === wanted.run && block === wanted.block && visit === wanted.visit,
  ) ?? null;
