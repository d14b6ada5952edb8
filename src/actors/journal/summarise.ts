import type { BlockId, FramePath, NodeId } from '#protocol/id.ts';
import type { HeaderEntry, JournalEntry, LocalKey } from '#protocol/journal.ts';
import type { RunStatus } from '#protocol/run-status.ts';
import type { PathEntry } from '#protocol/response.ts';
import type { DelayedRetry, FrameSummary, OpenHalt, RunSummary } from '#protocol/run-summary.ts';
import { frameOf, visitOf } from './local-key.ts';
import { createMovement } from './movement.ts';
import { inForceNow } from './entries-in-force.ts';

interface OpenFrame {
  readonly frame: FramePath;
  block: BlockId;
}

const nodeOf = (block: BlockId): NodeId => block.slice(0, block.indexOf('__')) as NodeId;

const blockOf = (key: LocalKey): BlockId => {
  const visit = visitOf(key);
  return visit.slice(visit.lastIndexOf('/') + 1, visit.lastIndexOf('#')) as BlockId;
};

/** The frames of a run that are open, and the halts in them. */
interface OpenFrames {
  /** Notes that a visit is in progress. Returns its block. */
  enter(key: LocalKey): BlockId;
  halted(halt: OpenHalt): void;
  /** Notes that the block of a frame is executed again at a later time. */
  delayed(entry: Extract<JournalEntry, { type: 'delay' }>): void;
  answered(entry: Extract<JournalEntry, { type: 'answer' }>): void;
  /**
   * Applies a lookup: all callees of the frame have ended, and so has the frame itself if it returned, failed or was
   * cancelled. Halts in ended frames are removed.
   */
  follow(entry: PathEntry): void;
  /** Forgets everything: the run has ended. */
  clear(): void;
  /** Returns whether halts wait and no branch can move. */
  isHalted(): boolean;
  halts(): readonly OpenHalt[];
  delays(): readonly DelayedRetry[];
  summaries(): readonly FrameSummary[];
}

function createOpenFrames(): OpenFrames {
  const frames = new Map<FramePath, OpenFrame>();
  const halts = new Map<string, OpenHalt>();
  const delays = new Map<FramePath, DelayedRetry>();
  const movement = createMovement();
  return {
    enter: (key) => {
      const frame = frameOf(visitOf(key));
      movement.at(frame);
      delays.delete(frame);
      const block = blockOf(key);
      const open = frames.get(frame);
      if (open === undefined) frames.set(frame, { frame, block });
      else open.block = block;
      return block;
    },
    halted: (halt) => void halts.set(halt.halt_id, halt),
    delayed: ({ key, until }) => {
      const frame = frameOf(visitOf(key));
      delays.set(frame, { block: blockOf(key), frame, until });
    },
    answered: ({ halt, key, answer }) => {
      halts.delete(halt);
      movement.answered(frameOf(key), answer.verb);
    },
    follow: (entry) => {
      const { frame, action } = entry;
      movement.follow(entry);
      delays.delete(frame);
      const isOver = action === 'RETURN' || action === null;
      // Usually no other frame exists.
      if (!isOver && frames.size === 1 && frames.has(frame) && halts.size === 0) return;
      const below = frame === '/' ? '/' : `${frame}/`;
      const isGone = (other: FramePath): boolean =>
        other === frame ? isOver : other !== '/' && other.startsWith(below);
      for (const other of frames.keys()) if (other !== '/' && isGone(other)) frames.delete(other);
      for (const other of delays.keys()) if (isGone(other)) delays.delete(other);
      for (const [id, halt] of halts) if (isGone(halt.frame)) halts.delete(id);
    },
    clear: () => {
      halts.clear();
      delays.clear();
      frames.clear();
    },
    isHalted: () => halts.size > 0 && !movement.isMoving(new Set(Array.from(halts.values(), ({ frame }) => frame))),
    halts: () => [...halts.values()],
    delays: () => [...delays.values()],
    summaries: () => {
      const of = childrenOf(frames.keys());
      return Array.from(frames.values(), ({ frame, block }) => ({
        frame,
        node: nodeOf(block),
        block,
        children: of.get(frame) ?? [],
      }));
    },
  };
}

/** Returns frames by caller. */
function childrenOf(frames: Iterable<FramePath>): ReadonlyMap<string, readonly FramePath[]> {
  const found = new Map<string, FramePath[]>();
  for (const frame of frames) {
    if (frame === '/') continue;
    const caller = frame.slice(0, frame.lastIndexOf('/')) || '/';
    const others = found.get(caller);
    if (others === undefined) found.set(caller, [frame]);
    else others.push(frame);
  }
  return found;
}

/** Returns the counts of steps whose evidence passed or failed, with this step added. */
function proved(before: RunSummary['evidence'], pieces: PathEntry['evidence']): RunSummary['evidence'] {
  if (pieces === undefined) return before;
  const { held, failed } = before ?? { held: 0, failed: 0 };
  const all = pieces.every((piece) => piece.held);
  return all ? { held: held + 1, failed } : { held, failed: failed + 1 };
}

const haltOf = ({
  key,
  halt,
  block,
  why,
  until,
  last,
  rejections_left: left,
  at,
}: Extract<JournalEntry, { type: 'halt' }>): OpenHalt => ({
  halt_id: halt,
  block,
  frame: frameOf(key),
  why,
  since: at,
  until,
  ...(left === undefined ? {} : { rejections_left: left }),
  ...(last === undefined ? {} : { last }),
});

/**
 * Summarises a journal line by line, from its entries in force (`inForceNow`). State files of running runs and
 * summaries of stored ones follow the same rules.
 */
export function createSummary(header: HeaderEntry) {
  const open = createOpenFrames();
  const { start } = header.started;
  let status: RunStatus = 'running';
  let reason: RunSummary['reason'] = null;
  let block = ('block' in start ? start.block : `${start.node}__`) as BlockId;
  let updated = header.at;
  let steps = 0;
  let openings = 0;
  let openedBy: string | undefined;
  let evidence: RunSummary['evidence'];

  const take = (entry: JournalEntry): void => {
    if ('at' in entry) updated = entry.at;
    switch (entry.type) {
      case 'open':
        openings += 1;
        openedBy = entry.by;
        status = 'running';
        return;
      case 'intent':
        block = open.enter(entry.key);
        return;
      case 'halt':
        block = open.enter(entry.key);
        return open.halted(haltOf(entry));
      case 'answer':
        return open.answered(entry);
      case 'delay':
        return open.delayed(entry);
      case 'path':
        evidence = proved(evidence, entry.entry.evidence);
        steps = Math.max(steps, entry.entry.step);
        return open.follow(entry.entry);
      case 'stop':
        status = entry.how;
        return;
      case 'end':
        status = entry.outcome;
        reason = entry.reason;
        return open.clear();
      case 'run':
      case 'result':
      case 'manifest':
      case 'retry':
      case 'spent':
      case 'unbegun':
    }
  };

  return {
    take,
    /** Returns the current summary. A run that has not ended is halted if no branch can move. */
    summary: (): RunSummary => ({
      run: header.run,
      trace: header.trace,
      status: status === 'running' && open.isHalted() ? 'halted' : status,
      reason,
      node: 'node' in start ? start.node : nodeOf(start.block),
      block,
      source: header.started.source,
      directory: header.directory,
      started_at: header.at,
      updated_at: updated,
      steps,
      ...(evidence === undefined ? {} : { evidence }),
      halts: open.halts(),
      ...(open.delays().length === 0 ? {} : { retries: open.delays() }),
      frames: open.summaries(),
      forked_from: header.forkedFrom,
      openings,
      ...(openedBy === undefined ? {} : { opened_by: openedBy }),
    }),
  };
}

export function summarise(entries: readonly JournalEntry[]): RunSummary | null {
  const [header] = entries;
  if (header?.type !== 'run') return null;
  const summary = createSummary(header);
  for (const entry of inForceNow(entries)) summary.take(entry);
  return summary.summary();
}
