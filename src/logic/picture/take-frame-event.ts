import type { RunFact } from '#protocol/event.ts';
import type { BlockStatus, ViewFrame } from '#protocol/generated/view.gen.ts';
import { blockState, changeBlock, changeNode, changeVisit, type RunPicture, visitId } from './run-picture.ts';

type FactOf<Type extends RunFact['type']> = Extract<RunFact, { type: Type }>;

/** Returns the calling frame, or null for the root. */
function parentOf(frame: string): string | null {
  if (frame === '/') return null;
  const parent = frame.slice(0, frame.lastIndexOf('/'));
  return parent === '' ? '/' : parent;
}

function branchOf(frame: string): number | null {
  const found = /\[(\d+)\]$/.exec(frame);
  return found === null ? null : Number(found[1]);
}

export function changeFrame(picture: RunPicture, frame: string, change: Partial<ViewFrame>): void {
  const known = picture.frames.get(frame);
  if (known === undefined) return;
  picture.frames.set(frame, { ...known, ...change });
  picture.changed.frames = true;
}

/** Moves a frame to a block, and removes it from its previous one. */
export function standAt(picture: RunPicture, frame: string, block: string, visit: number): void {
  const known = picture.frames.get(frame);
  if (known === undefined) return;
  leaveBlock(picture, known);
  const { heads } = blockState(picture, block);
  changeBlock(picture, block, { heads: heads + 1 });
  changeFrame(picture, frame, { block, visit, status: 'active' });
}

function leaveBlock(picture: RunPicture, { block }: ViewFrame): void {
  if (block === '') return;
  changeBlock(picture, block, { heads: Math.max(0, blockState(picture, block).heads - 1) });
}

export function enterNode(picture: RunPicture, { node, frame, depth }: FactOf<'node.entered'>): void {
  const parent = parentOf(frame);
  const status: BlockStatus = 'active';
  const known = picture.frames.get(frame);
  if (known !== undefined) leaveBlock(picture, known);
  picture.frames.set(frame, { frame, parent, depth, node, block: '', visit: 0, branch: branchOf(frame), status });
  picture.changed.frames = true;
  changeNode(picture, node, ({ visits }) => ({ visits: visits + 1 }));
  const caller = parent === null ? undefined : picture.frames.get(parent);
  if (caller === undefined || caller.block === '' || known !== undefined) return;
  const { waitsFor } = blockState(picture, caller.block);
  changeBlock(picture, caller.block, { waitsFor: [...waitsFor, node], status: 'active' });
}

const without = (list: readonly string[], one: string): readonly string[] => {
  const at = list.indexOf(one);
  return at === -1 ? list : list.toSpliced(at, 1);
};

/** Ends a frame. If the calling block has no other active callees, ends its visit's bar in the timeline as well. */
export function leaveNode(picture: RunPicture, { node, frame, via }: FactOf<'node.left'>, at: number): void {
  const known = picture.frames.get(frame);
  if (known === undefined || via === 'jump') return;
  leaveBlock(picture, known);
  picture.frames.delete(frame);
  picture.changed.frames = true;
  const caller = known.parent === null ? undefined : picture.frames.get(known.parent);
  if (caller === undefined || caller.block === '') return;
  const waitsFor = without(blockState(picture, caller.block).waitsFor, node);
  const id = visitId(caller.frame, caller.block, caller.visit);
  const ended = picture.visits.get(id)?.status ?? 'complete';
  changeBlock(picture, caller.block, { waitsFor, ...(waitsFor.length === 0 ? { status: ended } : {}) });
  if (waitsFor.length === 0) changeVisit(picture, id, ({ to }) => ({ to: to ?? at }));
}

/** Shows no block as running while the run rests; active blocks are shown again when they start. */
export function restFrames(picture: RunPicture): void {
  for (const { frame, block, visit } of [...picture.frames.values()]) {
    if (block === '' || blockState(picture, block).status !== 'active') continue;
    changeBlock(picture, block, { status: 'pending' });
    changeFrame(picture, frame, { status: 'pending' });
    changeVisit(picture, visitId(frame, block, visit), () => ({ status: 'pending' }));
  }
}

/** Shows callers as waiting again once the run continues. */
export function wakeFrames(picture: RunPicture): void {
  for (const { frame, block } of [...picture.frames.values()]) {
    if (block === '' || blockState(picture, block).status !== 'pending') continue;
    changeBlock(picture, block, { status: 'active' });
    changeFrame(picture, frame, { status: 'active' });
  }
}
