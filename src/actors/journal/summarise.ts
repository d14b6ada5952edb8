import type { BlockId, FramePath, NodeId } from '#protocol/id.ts';
import type { HeaderEntry, JournalEntry, LocalKey, RunStatus } from '#protocol/journal.ts';
import type { PathEntry } from '#protocol/response.ts';
import type { FrameSummary, OpenHalt, RunSummary } from '#protocol/run-summary.ts';
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

/**
 * Summarises a journal line by line, from its entries in force (`inForceNow`). State files of running runs and
 * summaries of stored ones follow the same rules.
 */
export function createSummary(header: HeaderEntry) {
  const frames = new Map<FramePath, OpenFrame>();
  const halts = new Map<string, OpenHalt>();
  const movement = createMovement();
  const { start } = header.started;
  let status: RunStatus = 'running';
  let reason: RunSummary['reason'] = null;
  let block = ('block' in start ? start.block : `${start.node}__`) as BlockId;
  let updated = header.at;
  let steps = 0;
  let openings = 0;
  let openedBy: string | undefined;
  let evidence: RunSummary['evidence'];

  const at = (key: LocalKey): void => {
    const frame = frameOf(visitOf(key));
    movement.at(frame);
    block = blockOf(key);
    const open = frames.get(frame);
    if (open === undefined) frames.set(frame, { frame, block });
    else open.block = block;
  };

  /** Returns the status of a run that has not ended: halted if no branch can move. */
  const standing = (): RunStatus => {
    if (status !== 'running' || halts.size === 0) return status;
    return movement.isMoving(new Set(Array.from(halts.values(), ({ frame }) => frame))) ? 'running' : 'halted';
  };

  const prove = (pieces: PathEntry['evidence']): void => {
    if (pieces === undefined) return;
    const { held, failed } = evidence ?? { held: 0, failed: 0 };
    const all = pieces.every((piece) => piece.held);
    evidence = all ? { held: held + 1, failed } : { held, failed: failed + 1 };
  };

  /**
   * Applies a lookup: all callees of the frame have ended, and so has the frame if it returned, failed or was
   * cancelled; halts there are gone.
   */
  const follow = (entry: PathEntry): void => {
    const { frame, action, step } = entry;
    movement.follow(entry);
    steps = Math.max(steps, step);
    const isOver = action === 'RETURN' || action === null;
    // Usually no other frame exists.
    if (!isOver && frames.size === 1 && frames.has(frame) && halts.size === 0) return;
    const below = frame === '/' ? '/' : `${frame}/`;
    const isGone = (other: FramePath): boolean => (other === frame ? isOver : other !== '/' && other.startsWith(below));
    for (const other of frames.keys()) if (other !== '/' && isGone(other)) frames.delete(other);
    for (const [id, halt] of halts) if (isGone(halt.frame)) halts.delete(id);
  };

  const take = (entry: JournalEntry): void => {
    if ('at' in entry) updated = entry.at;
    switch (entry.type) {
      case 'open':
        openings += 1;
        openedBy = entry.by;
        status = 'running';
        return;
      case 'intent':
        return at(entry.key);
      case 'halt': {
        at(entry.key);
        const { halt, block: where, why, until, last, at: since } = entry;
        const said = last === undefined ? {} : { last };
        halts.set(halt, { halt_id: halt, block: where, frame: frameOf(entry.key), why, since, until, ...said });
        return;
      }
      case 'answer':
        halts.delete(entry.halt);
        movement.answered(frameOf(entry.key), entry.answer.verb);
        return;
      case 'path':
        prove(entry.entry.evidence);
        return follow(entry.entry);
      case 'stop':
        status = entry.how;
        return;
      case 'end':
        status = entry.outcome;
        reason = entry.reason;
        halts.clear();
        frames.clear();
        return;
      case 'run':
      case 'result':
      case 'manifest':
      case 'retry':
      case 'spent':
      case 'unbegun':
    }
  };

  /** Returns open frames by caller. */
  const children = (): ReadonlyMap<string, readonly FramePath[]> => {
    const found = new Map<string, FramePath[]>();
    for (const frame of frames.keys()) {
      if (frame === '/') continue;
      const caller = frame.slice(0, frame.lastIndexOf('/')) || '/';
      const others = found.get(caller);
      if (others === undefined) found.set(caller, [frame]);
      else others.push(frame);
    }
    return found;
  };

  const framesNow = (): readonly FrameSummary[] => {
    const of = children();
    return Array.from(frames.values(), ({ frame, block: at }) => ({
      frame,
      node: nodeOf(at),
      block: at,
      children: of.get(frame) ?? [],
    }));
  };

  return {
    take,
    /** Returns the current summary. */
    summary: (): RunSummary => ({
      run: header.run,
      trace: header.trace,
      status: standing(),
      reason,
      node: 'node' in start ? start.node : nodeOf(start.block),
      block,
      source: header.started.source,
      directory: header.directory,
      started_at: header.at,
      updated_at: updated,
      steps,
      ...(evidence === undefined ? {} : { evidence }),
      halts: [...halts.values()],
      frames: framesNow(),
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
