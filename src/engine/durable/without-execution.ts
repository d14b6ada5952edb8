import type { RunContext } from '#protocol/run.ts';

const untilStopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** What is not remembered is not executed: it waits until it is stopped. `atEnd`: told when there is such a thing. */
export const withoutExecution = (context: RunContext, atEnd: () => void): RunContext => ({
  ...context,
  step: async (_key, _spec, signal) => {
    atEnd();
    await untilStopped(signal);
    return { value: { kind: 'again', after: 'stop' }, at: 0 };
  },
});

/** For a run that was cancelled: it is told so when all that is remembered has been told, before anything else can follow from it. */
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
      // The replay counts who waits for its end.
      void context.live(signal)?.catch(() => undefined);
      return replayed;
    },
  };
}
