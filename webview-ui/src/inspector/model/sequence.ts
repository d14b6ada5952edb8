import type { InspectionEvent } from '#protocol/inspection.ts';
import type { Actors } from './actor-history.ts';

interface Lifeline {
  readonly sessionId: string;
  readonly name: string;
}

interface Message {
  /** Index of the message's event in the recording. */
  readonly at: number;
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

export interface Sequence {
  readonly lifelines: readonly Lifeline[];
  readonly messages: readonly Message[];
}

/** Maximum number of messages in one diagram. The newest ones before the shown moment are drawn. */
const MOST_MESSAGES = 60;
const MOST_LIFELINES = 12;

/** Returns the last messages that actors exchanged before a moment, and the actors involved. */
export function sequenceOf(
  events: readonly InspectionEvent[],
  until: number,
  actors: Actors,
  actor: string | null,
): Sequence {
  const places = new Map<string, number>();
  const taken: { at: number; from: string; to: string; text: string }[] = [];
  for (let at = Math.min(until, events.length) - 1; at >= 0 && taken.length < MOST_MESSAGES; at -= 1) {
    const event = events[at];
    if (event?.type !== '@xstate.event') continue;
    const from = event.sourceId ?? event.sessionId;
    const to = event.sessionId;
    if (actor !== null && from !== actor && to !== actor) continue;
    const names = new Set([...places.keys(), from, to]);
    if (names.size > MOST_LIFELINES) break;
    for (const name of names) places.set(name, 0);
    taken.push({ at, from, to, text: event.event.type });
  }
  const order = [...places.keys()].sort(
    (a, b) => (actors.get(a)?.since ?? 0) - (actors.get(b)?.since ?? 0) || (a < b ? -1 : 1),
  );
  for (const [place, name] of order.entries()) places.set(name, place);
  return {
    lifelines: order.map((sessionId) => ({ sessionId, name: actors.get(sessionId)?.name ?? sessionId })),
    messages: taken
      .toReversed()
      .map(({ at, from, to, text }) => ({ at, from: places.get(from) ?? 0, to: places.get(to) ?? 0, text })),
  };
}
