import type { EventListener, RoboSmithEvent, RunFact } from '#protocol/event.ts';
import type { RunId } from '#protocol/id.ts';
import type { Failure } from '#protocol/response.ts';
import type { RunContext, RunPorts } from '#protocol/run.ts';

type EventHead = Pick<RoboSmithEvent, 'seq' | 'run_id' | 'trace_id' | 'time'>;

/**
 * Adds the fields of an event to a fact and returns the same object. The bus owns the fact, and five copies per step
 * would cost several times as much.
 */
function withHead(fact: RunFact, { seq, run_id, trace_id, time }: EventHead): RoboSmithEvent {
  const event = fact as { -readonly [Key in keyof EventHead]: EventHead[Key] } & RunFact;
  event.seq = seq;
  event.run_id = run_id;
  event.trace_id = trace_id;
  event.time = time;
  return event;
}

interface EventBusParts {
  readonly id: RunId;
  readonly traceId: string;
  readonly ports: Pick<RunPorts, 'clock'>;
  readonly context: Pick<RunContext, 'live' | 'whenSafe'>;
  /** The number of the last event that was emitted before the run was resumed; absent for a new run. */
  readonly begun?: { readonly lastEvent: number };
}

/** Delivers events in sequence to all listeners. An error of a listener affects neither the run nor other listeners. */
export function createEventBus({ id, traceId, ports, context, begun }: EventBusParts) {
  const listeners = new Set<EventListener>();
  let seq = begun?.lastEvent ?? 0;
  let closed = false;
  const notifyListeners = (event: RoboSmithEvent): void => {
    for (const listener of listeners) {
      try {
        listener(event);
      } catch {
        // After an error, the listener misses only this event.
      }
    }
  };
  /**
   * Returns the head of the next event; null for an event that is not emitted. Remembered events were emitted before.
   */
  const nextHead = (): EventHead | null => {
    if (closed || context.live() !== null) return null;
    seq += 1;
    return listeners.size === 0 ? null : { seq, run_id: id, trace_id: traceId, time: ports.clock.now() };
  };
  return {
    subscribe: (listener: EventListener): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Drops later events, such as the last output of a dying process. */
    close: (): void => {
      closed = true;
    },
    /** Emits an event once the journal entries before it are safe. */
    record: (fact: RunFact): void => {
      const head = nextHead();
      if (head === null) return;
      const event = withHead(fact, head);
      context.whenSafe((trouble) => {
        if (trouble === null) notifyListeners(event);
      });
    },
    /** Emits the last event. If the end of the run could not be made safe, the event contains the error. */
    recordEnd: (factIf: (trouble: Failure | null) => RunFact): void => {
      const head = nextHead();
      if (head !== null) context.whenSafe((trouble) => notifyListeners(withHead(factIf(trouble), head)));
    },
  };
}
