import type { InspectionEvent } from '#protocol/inspection.ts';
import { readInspection } from '#protocol/read-inspection.ts';
import { createInspectionHistory } from './inspection-history.ts';

interface RelayParts {
  readonly now: () => number;
  /** Called with each event, for a recording. */
  readonly onEvent: (event: InspectionEvent) => void;
  readonly log: (message: string) => void;
}

/**
 * Called for each connection with a function that sends to it. Returns functions that receive its messages and that end
 * it.
 */
type Attend = (post: (message: unknown) => void) => {
  readonly hear: (message: unknown) => void;
  readonly end: () => void;
};

/** One origin of inspection events: a host or a program. */
export interface Source {
  take(event: InspectionEvent): void;
  /** Marks the actors of this source that were still active as stopped. */
  end(): void;
}

/** Passes inspection events from hosts and programs to all open pages. */
export interface InspectionRelay {
  open(): Source;
  /** Sends a page the history, followed by live events. */
  readonly attendPage: Attend;
  /** Receives the events of a program. */
  readonly attendProgram: Attend;
}

/** Returns an event with ids that no other source has. XState numbers the actors of each program from 0. */
function within<Event extends InspectionEvent>(source: string, event: Event): Event {
  const own = (id: string): string => `${source}/${id}`;
  return {
    ...event,
    sessionId: own(event.sessionId),
    ...(typeof event.rootId === 'string' ? { rootId: own(event.rootId) } : {}),
    ...('parentId' in event && typeof event.parentId === 'string' ? { parentId: own(event.parentId) } : {}),
    ...('sourceId' in event && typeof event.sourceId === 'string' ? { sourceId: own(event.sourceId) } : {}),
  };
}

export function createInspectionRelay({ now, onEvent, log }: RelayParts): InspectionRelay {
  const history = createInspectionHistory();
  const pages = new Set<(message: unknown) => void>();
  let count = 0;

  const pass = (event: InspectionEvent): void => {
    history.add(event);
    onEvent(event);
    for (const post of pages) post(event);
  };
  const open = (): Source => {
    count += 1;
    const source = String(count);
    const active = new Map<string, InspectionEvent>();
    return {
      take: (event) => {
        const own = within(source, event);
        if (own.type === '@xstate.actor') active.set(own.sessionId, own);
        else if (own.type === '@xstate.snapshot' && own.snapshot.status !== 'active') active.delete(own.sessionId);
        pass(own);
      },
      end: () => {
        for (const { sessionId, rootId, _version } of active.values())
          pass({
            type: '@xstate.snapshot',
            sessionId,
            id: null,
            createdAt: String(now()),
            _version,
            ...(rootId === undefined ? {} : { rootId }),
            event: { type: 'connection.lost' },
            snapshot: { status: 'stopped' },
          });
        active.clear();
      },
    };
  };
  return {
    open,
    attendPage: (post) => {
      for (const event of history.all()) post(event);
      pages.add(post);
      return { hear: () => undefined, end: () => void pages.delete(post) };
    },
    attendProgram: () => {
      const source = open();
      let refused = 0;
      return {
        hear: (message) => {
          const event = readInspection(message);
          if (event !== null) source.take(event);
          else if ((refused += 1) === 1)
            log('A program sent a message that is not an inspection event; it was ignored.');
        },
        end: source.end,
      };
    },
  };
}
