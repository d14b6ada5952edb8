import type { EventListener, RoboSmithEvent, RunFact } from '#protocol/event.ts';
import type { RunId } from '#protocol/id.ts';
import type { Failure } from '#protocol/response.ts';
import type { RunContext, RunPorts } from '#protocol/run.ts';

export interface EventBusParts {
  readonly id: RunId;
  readonly traceId: string;
  readonly ports: Pick<RunPorts, 'clock'>;
  readonly context: Pick<RunContext, 'live' | 'whenSafe'>;
  /** A run that goes on: the number of the last of its events that was told. */
  readonly begun?: { readonly lastEvent: number };
}

/** Events in sequence to whoever listens; a listener that throws is a listener's fault and ends nothing. */
export function createEventBus({ id, traceId, ports, context, begun }: EventBusParts) {
  const listeners = new Set<EventListener>();
  let seq = begun?.lastEvent ?? 0;
  let closed = false;
  const tell = (event: RoboSmithEvent): void => {
    for (const listener of listeners) {
      try {
        listener(event);
      } catch {
        // It has missed this one; the next one may be fine.
      }
    }
  };
  const publish = (factIf: (trouble: Failure | null) => RunFact | null): void => {
    // What is only remembered has been told before.
    if (closed || context.live() !== null) return;
    seq += 1;
    if (listeners.size === 0) return;
    const head = { seq, run_id: id, trace_id: traceId, time: ports.clock.now() };
    context.whenSafe((trouble) => {
      const fact = factIf(trouble);
      // The fact is ours from here on: making it the event costs half of copying it, five times a step.
      if (fact !== null) tell(Object.assign(fact, head));
    });
  };
  return {
    subscribe: (listener: EventListener): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** What comes after the end, a dying process's last words, is nobody's event. */
    close: (): void => {
      closed = true;
    },
    /** What can't be kept did not happen. */
    record: (fact: RunFact): void => publish((trouble) => (trouble === null ? fact : null)),
    /** That it did not is the last that is told. */
    recordEnd: publish,
  };
}
