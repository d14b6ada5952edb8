import type { RunFact } from '#protocol/event.ts';
import type { Frame } from './state.ts';

type Via = Extract<RunFact, { type: 'node.left' }>['via'];

/**
 * Emits one `node.left` for each `node.entered`. For a cancelled frame, and for callers that fail with it,
 * `writeCancelled` emits the event after the path entries of the frame's visits, because XState stops actors only after
 * the actions of the transition.
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

/**
 * Cancels all frames below a frame: the innermost first, and siblings in reverse order. A frame whose child has failed
 * has no other live child.
 */
export function cancelChildren(frame: Frame): void {
  for (const child of [...frame.children].reverse()) cancelFrame(child);
}

/** Cancels the frame and all frames below it. */
export function cancelFrame(frame: Frame): void {
  if (frame.over) return;
  cancelChildren(frame);
  leaveFrame(frame, 'cancel');
}
