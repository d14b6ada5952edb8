import type { EventListener, RoboSmithEvent, RunFact } from '#protocol/event.ts';
import type { RunId } from '#protocol/id.ts';
import type { Failure } from '#protocol/response.ts';
import type { RunContext, RunPorts } from '#protocol/run.ts';

type EventHead = Pick<RoboSmithEvent, 'seq' | 'run_id' | 'trace_id' | 'time'>;

/** The fact is ours from here on: making it the event costs a fraction of copying it, five times a step. */
function withHead(fact: RunFact, { seq, run_id, trace_id, time }: EventHead): RoboSmithEvent {
  const event = fact as { -readonly [Key in keyof EventHead]: EventHead[Key] } & RunFact;
  event.seq = seq;
  event.run_id = run_id;
  event.trace_id = trace_id;
  event.time = time;
  return event;
}

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
  /** Null: nobody hears of it. What is only remembered has been told before. */
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
    /** What comes after the end, a dying process's last words, is nobody's event. */
    close: (): void => {
      closed = true;
    },
    /** What can't be kept did not happen. */
    record: (fact: RunFact): void => {
      const head = nextHead();
      if (head === null) return;
      const event = withHead(fact, head);
      context.whenSafe((trouble) => {
        if (trouble === null) tell(event);
      });
    },
    /** That it did not is the last that is told. */
    recordEnd: (factIf: (trouble: Failure | null) => RunFact): void => {
      const head = nextHead();
      if (head !== null) context.whenSafe((trouble) => tell(withHead(factIf(trouble), head)));
    },
  };
}
