import { messageOf } from '#protocol/message-of.ts';
import { fromCallback } from 'xstate';
import { RoboSmithError } from '#protocol/error.ts';
import type { BlockId } from '#protocol/id.ts';
import { concludeChildFailure, concludeVisit, type VisitEvent } from './conclude-visit.ts';
import type { VisitEnd, Frame, Visit } from './state.ts';
import { recordEntry } from './record-path.ts';
import { beginVisit, stopMoving } from './visit.ts';

export interface VisitInput {
  readonly frame: Frame;
  readonly block: BlockId;
}

/** Returns the event by which a frame continues at a block of any node, or returns. */
export function leaveTo(frame: Frame, to: BlockId | null): { readonly type: '@jump' | '@return' } {
  if (to === null) return { type: '@return' };
  frame.landing = to;
  return { type: '@jump' };
}

function conclude(frame: Frame, visit: Visit, ended: VisitEnd): VisitEvent | ReturnType<typeof leaveTo> {
  if (ended.kind === 'signalled') return concludeVisit(frame, visit, ended);
  stopMoving(frame, visit);
  recordEntry(frame, visit, {
    signal: null,
    via: 'none',
    action: ended.to === null ? 'RETURN' : `JUMP:${ended.to}`,
    row: null,
  });
  return leaveTo(frame, ended.to);
}

/** Fails the run because the engine itself, a hook of its caller or the disk threw. */
export function failBroken(frame: Frame, visit: Visit, thrown: unknown): VisitEvent {
  const message = messageOf(thrown);
  const reason = RoboSmithError.is(thrown, 'state_not_saved') ? 'state_not_saved' : 'corrupt_state';
  frame.failure = { reason, details: { block: visit.block.id, message }, errorType: 'Error' };
  return { type: '@failed' };
}

function breakDown(frame: Frame, visit: Visit, thrown: unknown): VisitEvent {
  stopMoving(frame, visit);
  recordEntry(frame, visit, { signal: null, via: 'none', action: null, row: null });
  return failBroken(frame, visit, thrown);
}

const NOTHING: Promise<unknown> = Promise.resolve();

/**
 * The actor of a frame's body. It executes the visits that the chart's `visit` action requests, one at a time, and
 * sends the chart an event when a visit ends. When stopped, it cancels the current visit. One actor per body instead of
 * one per block halves the cost of a step (docs/decisions/2026-11-21-xstate.md).
 */
export const visitsLogic = fromCallback<{ type: string }, { readonly frame: Frame }, { type: string }>(
  ({ input: { frame }, sendBack }) => {
    let open: { readonly visit: Visit; readonly controller: AbortController; running: Promise<unknown> } | null = null;
    frame.visitBlock = (block) => {
      const begun = beginVisit(frame, block);
      if (!begun.ok) {
        frame.failure = begun.failure;
        sendBack({ type: '@failed' });
        return;
      }
      const at = { visit: begun.visit, controller: new AbortController(), running: NOTHING };
      open = at;
      const end = (event: () => { type: string }) => {
        if (open !== at) return;
        open = null;
        sendBack(event());
      };
      at.running = frame.run.effects.execute(frame, at.visit, at.controller.signal).then(
        (ended) => end(() => conclude(frame, at.visit, ended)),
        (thrown: unknown) => end(() => breakDown(frame, at.visit, thrown)),
      );
    };
    return () => {
      if (open === null) return;
      const { visit, controller, running } = open;
      open = null;
      frame.run.cancelled.push({ frame, visit });
      frame.run.leaving.push(running);
      controller.abort();
      stopMoving(frame, visit);
    };
  },
);

/** The actor behind a block's `@ERROR` state: one more lookup, without a worker. */
export const childFailureLogic = fromCallback<{ type: string }, VisitInput, { type: string }>(
  ({ input: { frame }, sendBack }) => {
    sendBack(frame.visit === null ? { type: '@failed' } : concludeChildFailure(frame, frame.visit));
  },
);
