import type { ActorState, InspectionEvent, TypedEvent } from '#protocol/inspection.ts';

/** The state of an actor at one moment of a recording. */
export interface ActorView {
  readonly sessionId: string;
  readonly name: string;
  readonly parentId: string | null;
  readonly rootId: string;
  /** The machine's configuration as JSON text; null for other kinds of actors. */
  readonly definition: string | null;
  readonly state: ActorState;
  /** The last event that the actor processed and its state before it; null before the first event. */
  readonly last: { readonly event: TypedEvent; readonly before: ActorState } | null;
  /** Index of the event that created the actor. */
  readonly since: number;
}

export type Actors = ReadonlyMap<string, ActorView>;

function next(actors: Map<string, ActorView>, event: InspectionEvent, at: number): void {
  const { sessionId } = event;
  const known = actors.get(sessionId);
  if (event.type === '@xstate.actor') {
    actors.set(sessionId, {
      sessionId,
      name: event.name,
      parentId: event.parentId ?? null,
      rootId: event.rootId ?? sessionId,
      definition: event.definition ?? null,
      state: event.snapshot,
      last: known?.last ?? null,
      since: known?.since ?? at,
    });
  } else if (event.type === '@xstate.snapshot' && known !== undefined) {
    const last = { event: event.event, before: known.state };
    actors.set(sessionId, { ...known, state: event.snapshot, last });
  }
}

/** Number of events between two checkpoints. The state at any moment is computed from the checkpoint before it. */
const CHECKPOINT = 1_000;

/** All events of a recording, with the state of the actors at any moment. */
export class ActorHistory {
  readonly events: InspectionEvent[] = [];
  readonly #checkpoints: Actors[] = [new Map()];
  readonly #live = new Map<string, ActorView>();

  append(event: InspectionEvent): void {
    next(this.#live, event, this.events.length);
    this.events.push(event);
    if (this.events.length % CHECKPOINT === 0) this.#checkpoints.push(new Map(this.#live));
  }

  /** Returns the actors as they were after the first `count` events. */
  at(count: number): Actors {
    if (count >= this.events.length) return new Map(this.#live);
    const nearest = Math.floor(count / CHECKPOINT);
    const actors = new Map(this.#checkpoints[nearest]);
    for (const [offset, event] of this.events.slice(nearest * CHECKPOINT, count).entries())
      next(actors, event, nearest * CHECKPOINT + offset);
    return actors;
  }

  /** Returns the name of an actor, even for moments before its creation. Returns the id if the actor is unknown. */
  nameOf(sessionId: string): string {
    return this.#live.get(sessionId)?.name ?? sessionId;
  }

  clear(): void {
    this.events.length = 0;
    this.#checkpoints.length = 1;
    this.#live.clear();
  }
}

/** An actor as a row of the tree view. */
export interface TreeRow {
  readonly actor: ActorView;
  readonly depth: number;
  readonly hasChildren: boolean;
}

/** Returns true if one of the actor's ancestors is collapsed. */
function isBelow({ parentId }: ActorView, actors: Actors, collapsed: ReadonlySet<string>): boolean {
  const seen = new Set<string>();
  for (let id = parentId; id !== null && !seen.has(id); id = actors.get(id)?.parentId ?? null) {
    if (collapsed.has(id)) return true;
    seen.add(id);
  }
  return false;
}

/**
 * Returns the actors as tree rows, parents before children, in order of creation. If parents form a cycle, one of its
 * actors becomes a root.
 */
export function treeOf(actors: Actors, collapsed: ReadonlySet<string>): readonly TreeRow[] {
  const children = new Map<string | null, ActorView[]>();
  for (const actor of actors.values()) {
    const parent = actor.parentId !== null && actors.has(actor.parentId) ? actor.parentId : null;
    children.set(parent, [...(children.get(parent) ?? []), actor]);
  }
  const rows: TreeRow[] = [];
  const placed = new Set<string>();
  const place = (actor: ActorView, depth: number): void => {
    if (placed.has(actor.sessionId)) return;
    placed.add(actor.sessionId);
    const own = children.get(actor.sessionId) ?? [];
    rows.push({ actor, depth, hasChildren: own.length > 0 });
    if (!collapsed.has(actor.sessionId)) for (const child of own) place(child, depth + 1);
  };
  for (const actor of children.get(null) ?? []) place(actor, 0);
  // An actor without a row so far is below a collapsed actor, or its ancestors form a cycle. In a cycle, it becomes a
  // root.
  for (const actor of actors.values()) if (!isBelow(actor, actors, collapsed)) place(actor, 0);
  return rows;
}

/** The filter of the event log. */
export interface LogFilter {
  readonly text: string;
  readonly types: ReadonlySet<InspectionEvent['type']>;
  /** Session id of the only actor whose events are shown; null for all actors. */
  readonly actor: string | null;
}

export interface LogRow {
  readonly at: number;
  readonly event: InspectionEvent;
}

/** Returns the text of an event's row in the log. */
export function labelOf(event: InspectionEvent): string {
  switch (event.type) {
    case '@xstate.actor':
      return event.name;
    case '@xstate.event':
      return event.event.type;
    case '@xstate.snapshot':
    case '@xstate.microstep':
      return `${event.event.type} → ${valueText(event.snapshot)}`;
  }
}

/** Returns the state value of a snapshot on one line, or its status if it has none. */
export function valueText({ status, value }: ActorState): string {
  if (value === undefined) return status;
  return stateText(value);
}

/** Joins the names of nested states by dots, and puts those of parallel regions in braces. */
function stateText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const parts = Object.entries(value).map(([name, inner]) => {
    const below = stateText(inner);
    return below === '' ? name : `${name}.${below}`;
  });
  return parts.length > 1 ? `{${parts.join(', ')}}` : (parts[0] ?? '');
}

export function filterLog(events: readonly InspectionEvent[], { text, types, actor }: LogFilter): readonly LogRow[] {
  const wanted = text.trim().toLowerCase();
  const rows: LogRow[] = [];
  for (const [at, event] of events.entries()) {
    if (!types.has(event.type)) continue;
    const isOf = event.sessionId === actor || (event.type === '@xstate.event' && event.sourceId === actor);
    if (actor !== null && !isOf) continue;
    if (wanted !== '' && !`${labelOf(event)} ${event.sessionId}`.toLowerCase().includes(wanted)) continue;
    rows.push({ at, event });
  }
  return rows;
}
