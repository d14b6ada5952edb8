import type { InspectedActor, InspectionEvent } from '#protocol/inspection.ts';

interface HistoryLimits {
  readonly events: number;
  /** The maximum number of characters of JSON in all events together. */
  readonly characters: number;
}

/**
 * The default limits. A page receives the whole history at once, and the page server closes a connection that leaves 64
 * MB unread.
 */
const HISTORY_LIMITS: HistoryLimits = { events: 50_000, characters: 20_000_000 };

interface SizedEvent {
  readonly event: InspectionEvent;
  readonly characters: number;
}

/** The newest inspection events, for pages that are opened later. */
interface InspectionHistory {
  add(event: InspectionEvent): void;
  /** Returns the actors of dropped events, in their last known state, followed by the kept events. */
  all(): readonly InspectionEvent[];
}

/**
 * Creates a history. It drops the oldest events above the limits, but keeps the last state of actors that were still
 * active.
 */
export function createInspectionHistory(limits: HistoryLimits = HISTORY_LIMITS): InspectionHistory {
  const actors = new Map<string, InspectedActor>();
  let kept: SizedEvent[] = [];
  let characters = 0;

  const fold = (event: InspectionEvent): void => {
    if (event.type === '@xstate.actor') actors.set(event.sessionId, event);
    if (event.type !== '@xstate.snapshot') return;
    const known = actors.get(event.sessionId);
    if (event.snapshot.status !== 'active') actors.delete(event.sessionId);
    else if (known !== undefined) actors.set(event.sessionId, { ...known, snapshot: event.snapshot });
  };
  const drop = (): void => {
    // Drops a tenth of the events at a time: dropping them one by one would move the whole list for each event.
    const count = Math.max(1, Math.floor(kept.length / 10));
    for (const { event, characters: own } of kept.slice(0, count)) {
      fold(event);
      characters -= own;
    }
    kept = kept.slice(count);
  };
  return {
    add: (event) => {
      const own = JSON.stringify(event).length;
      kept.push({ event, characters: own });
      characters += own;
      while (kept.length > 1 && (kept.length > limits.events || characters > limits.characters)) drop();
    },
    all: () => [...actors.values(), ...kept.map(({ event }) => event)],
  };
}
