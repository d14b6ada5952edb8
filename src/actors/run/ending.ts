import { cancelFrame } from '#machines/run/leave-frame.ts';
import { writeCancelled } from '#machines/run/record-path.ts';
import type { Frame, RunState } from '#machines/run/state.ts';
import type { Clock } from '#protocol/clock.ts';
import type { RunOutcome } from '#protocol/event.ts';
import type { Failure, Response } from '#protocol/response.ts';
import type { RunContext } from '#protocol/run.ts';
import type { createEventBus } from './event-bus.ts';
import { settledOrTimeout } from './settled-or-timeout.ts';

/** Holds the callers that wait for the run to settle, and its last settled state. */
export function createSettling() {
  let response: Response | null = null;
  let waiters: ((response: Response) => void)[] = [];
  return {
    isSettled: (): boolean => response !== null,
    reopen: (): void => {
      response = null;
    },
    settle: (as: Response): void => {
      response = as;
      for (const resolve of waiters.splice(0)) resolve(as);
    },
    settled: (): Promise<Response> =>
      response === null ? new Promise((resolve) => (waiters = [...waiters, resolve])) : Promise.resolve(response),
  };
}

export const CANCELLED: Failure = { reason: 'cancelled', details: {}, errorType: null };

export const INTERRUPTED: Failure = { reason: 'interrupted', details: {}, errorType: null };

export const PAUSED: Failure = { reason: 'interrupted', details: { paused: true }, errorType: null };

function outcomeOf(failure: Failure | null): RunOutcome {
  if (failure === null) return 'completed';
  if (failure.reason === 'interrupted') return failure === PAUSED ? 'paused' : 'interrupted';
  return failure.reason === 'cancelled' ? 'cancelled' : 'failed';
}

/** Returns the Response, changed to a failure if the journal could not be written or the run differs from it. */
function unless(trouble: Failure | null, response: Response): Response {
  if (trouble === null) return response;
  const { reason, details } = trouble;
  if (reason === response.reason) return { ...response, details: { ...details, ...response.details } };
  return { ...response, success: false, reason, details: { ...details, instead_of: response.reason } };
}

interface EndingParts {
  readonly root: Frame;
  readonly state: RunState;
  readonly bus: ReturnType<typeof createEventBus>;
  readonly settling: ReturnType<typeof createSettling>;
  readonly context: RunContext;
  readonly clock: Clock;
  /** Returns the Response for the current state of the run. */
  readonly respond: (failure: Failure | null) => Response;
}

/** Ends a run once: cancels what is executing, records the end, then notifies. */
export function createEnding({ root, state, bus, settling, context, clock, respond }: EndingParts) {
  let over = false;
  /** Settles the run once all earlier entries are safe. */
  const settle = (response: Response): void =>
    context.whenSafe((trouble) => settling.settle(unless(trouble, response)));
  const finish = (failure: Failure | null): void => {
    const response = respond(failure);
    bus.recordEnd((trouble) => {
      const { success, reason, metadata } = unless(trouble, response);
      const outcome = trouble === null ? outcomeOf(failure) : 'failed';
      const details = (trouble ?? failure)?.details ?? {};
      return { type: 'run.finished', outcome, response: { success, reason, metadata, details } };
    });
    bus.close();
    settle(response);
  };
  return {
    isOver: (): boolean => over,
    settle,
    end: (failure: Failure | null): void => {
      if (over) return;
      over = true;
      state.suspended = failure?.reason === 'interrupted';
      if (!state.suspended) cancelFrame(root);
      writeCancelled(state);
      // The end is recorded together with the visits that it cancels, and before the workers have ended, so that a
      // crash in between can't undo it.
      context.keepEnd({ outcome: outcomeOf(failure), failure });
      if (state.leaving.length === 0) finish(failure);
      else void settledOrTimeout(state.leaving, clock, '/').then(() => finish(failure));
    },
    /** Releases a run that is resumed another time; nothing is recorded. */
    letGo: (): void => {
      over = true;
      bus.close();
    },
  };
}
