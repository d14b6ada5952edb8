import { isUnsuccessful } from './evaluate-condition.ts';
import type { Frame } from './frame.ts';
import type { ReturnedView } from './run-outcome.ts';

/** Returns the outcome of a child that has returned. */
export const returnedView = ({ called, signal, written }: Frame): ReturnedView => ({
  node: called,
  signal: signal ?? 'SIGNAL:NO_SIGNAL',
  exports: Object.fromEntries(written),
});

/** Returns the outcome of a child that failed, was cancelled, or was too deep. */
export const failedView = (node: string): ReturnedView => ({ node, signal: 'SIGNAL:ERROR', exports: {} });

/** Returns the signal with which a frame returns if it ends when its children return. */
export const worstSignal = (returned: readonly ReturnedView[]): string | null => {
  const signals = returned.map(({ signal }) => signal);
  return signals.find(isUnsuccessful) ?? signals[0] ?? null;
};
