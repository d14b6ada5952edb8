import type { RunContext } from '#protocol/run.ts';

const untilStopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/**
 * Returns a context that executes nothing: steps without a recorded result wait until they are stopped. `atEnd` is
 * called at the first such step.
 */
export const withoutExecution = (context: RunContext, atEnd: () => void): RunContext => ({
  ...context,
  step: async (_key, _spec, signal) => {
    atEnd();
    await untilStopped(signal);
    return { value: { kind: 'again', after: 'stop' }, at: 0 };
  },
});

/** Cancels a run again once its journal was replayed, before anything else can follow. */
export function cancelledAgain(
  context: RunContext,
  nextTurn: (work: () => void) => void,
  cancel: () => void,
): RunContext {
  const replayed = context.live() ?? new Promise<void>((resolve) => nextTurn(resolve));
  let isOver = false;
  replayed.then(
    () => {
      isOver = true;
      cancel();
    },
    () => undefined,
  );
  return {
    ...withoutExecution(context, () => undefined),
    live: (signal) => {
      if (isOver) return null;
      // The call is needed because the replay counts the steps that wait for its end.
      void context.live(signal)?.catch(() => undefined);
      return replayed;
    },
  };
}
