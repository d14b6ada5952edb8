import type { InspectionEvent } from '#protocol/inspection.ts';
import { type Actors, ActorHistory, type ActorView } from './model/actor-history.ts';

/** Updates run once per animation frame: events that arrive between two frames are appended together. */
const nextFrame = (work: () => void): void => void requestAnimationFrame(work);

/** The ids of the compiler's own machines begin with `@`. */
const isInternal = ({ definition }: ActorView): boolean => definition?.startsWith('{"id":"@') === true;

/**
 * The state of the actor inspector page: a recording of events, which may still grow, and the moment of it that is
 * shown.
 */
export class Inspection {
  readonly #history = new ActorHistory();
  #waiting: InspectionEvent[] = [];
  #isAsked = false;
  /** The actor that is selected by default, until the user selects another one. */
  #proposed: string | null = null;
  /** Incremented when the recording changes, so that derived values are computed again. */
  #version = $state(0);
  /** The moment of the recording that is shown, as the number of events before it. Null follows the newest event. */
  moment = $state<number | null>(null);
  selected = $state<string | null>(null);
  /** Index of the event that is selected in the log, or null. */
  event = $state<number | null>(null);

  readonly length = $derived.by(() => this.#recorded().events.length);
  readonly until = $derived(this.moment ?? this.length);
  readonly actors: Actors = $derived.by(() => this.#recorded().at(this.until));
  readonly actor: ActorView | null = $derived(this.actors.get(this.selected ?? '') ?? null);

  /** Returns the recorded events, oldest first. */
  events(): readonly InspectionEvent[] {
    return this.#recorded().events;
  }

  nameOf(sessionId: string): string {
    return this.#recorded().nameOf(sessionId);
  }

  /** Returns the history. Reading `#version` makes the caller reactive to changes of it. */
  #recorded(): ActorHistory {
    return this.#version >= 0 ? this.#history : new ActorHistory();
  }

  take = (event: InspectionEvent): void => {
    this.#waiting.push(event);
    if (this.#isAsked) return;
    this.#isAsked = true;
    nextFrame(() => this.#append());
  };

  #append(): void {
    this.#isAsked = false;
    for (const event of this.#waiting) this.#history.append(event);
    this.#waiting = [];
    this.#version += 1;
    if (this.selected === this.#proposed) this.#propose();
  }

  /**
   * Proposes the first node of a run, which is a machine that the run's internal machine has started; else the first
   * machine that has started other actors, or else the first machine.
   */
  #propose(): void {
    const actors = [...this.#history.at(Infinity).values()];
    const machines = actors.filter(({ definition }) => definition?.includes('"states"') === true);
    const parents = new Set(actors.map(({ parentId }) => parentId));
    const internal = new Set(machines.filter(isInternal).map(({ sessionId }) => sessionId));
    const found =
      machines.find(({ parentId }) => internal.has(parentId ?? '')) ??
      machines.find(({ sessionId }) => parents.has(sessionId)) ??
      machines[0];
    this.#proposed = found?.sessionId ?? null;
    this.selected = this.#proposed;
  }

  /** Drops all events, because the server sends them again after a reconnection. The selection is kept. */
  restart(): void {
    this.#waiting = [];
    this.#history.clear();
    this.#version += 1;
  }

  /** Replaces the current events by a recording from a file. */
  open(events: readonly InspectionEvent[]): void {
    this.#history.clear();
    for (const event of events) this.#history.append(event);
    this.#version += 1;
    this.moment = null;
    this.event = null;
    this.#propose();
  }

  /** Shows the state of the recording right after an event. */
  goTo(at: number): void {
    this.event = at;
    this.moment = at + 1 >= this.length ? null : at + 1;
    const sessionId = this.#history.events[at]?.sessionId;
    if (sessionId !== undefined) this.selected = sessionId;
  }

  move(step: number): void {
    const to = Math.min(this.length, Math.max(0, this.until + step));
    this.moment = to === this.length ? null : to;
    this.event = to === 0 ? null : to - 1;
  }

  live(): void {
    this.moment = null;
    this.event = null;
  }
}
