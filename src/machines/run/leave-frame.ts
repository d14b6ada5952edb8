import type { RunFact } from '#protocol/event.ts';
import type { Frame } from './state.ts';

type Via = Extract<RunFact, { type: 'node.left' }>['via'];

/**
 * Every `node.entered` has its `node.left`. Of a frame that is cancelled, and of callers that fail with it, it waits for the entries of the
 * visits in it (`writeCancelled`): XState stops actors when the actions of the transition that stops them are through.
 */
export function leaveFrame(frame: Frame, via: Via): void {
  const { run, node, path, depth } = frame;
  if (via !== 'jump') {
    frame.over = true;
    frame.caller?.children.delete(frame);
  }
  const left = { type: 'node.left', via, node: node.id, frame: path, depth } as const;
  if (via !== 'cancel' && run.left.length === 0) run.record(left);
  else run.left.push(left);
}

/** Of a frame whose child has failed, no other child lives: the innermost and last leaves first. */
export function cancelChildren(frame: Frame): void {
  for (const child of [...frame.children].reverse()) cancelFrame(child);
}

/** The frame, and all below it, end before their own end. */
export function cancelFrame(frame: Frame): void {
  if (frame.over) return;
  cancelChildren(frame);
  leaveFrame(frame, 'cancel');
}
