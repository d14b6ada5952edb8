import type { Tab } from './view-model.svelte.ts';

/** The state of the graph that a view stores across reloads. */
export interface KeptGraph {
  readonly hash: string;
  readonly view: { readonly x: number; readonly y: number; readonly zoom: number };
  readonly folded: readonly string[];
}

/** The state that a view stores across reloads: the user's position and settings, never data from the host. */
export interface StoredState {
  readonly graph: KeptGraph | null;
  readonly inspectorWidth: number;
  readonly tab: Tab;
  readonly isFollowing: boolean;
  /** The id of the selected block; null: none. */
  readonly selected: string | null;
}

const WIDTH = 320;

type Fields = Readonly<Record<string, unknown>>;

const fields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});

function readGraph(value: unknown): KeptGraph | null {
  const { hash, view, folded } = fields(value);
  const { x, y, zoom } = fields(view);
  if (typeof hash !== 'string' || !Array.isArray(folded)) return null;
  if (![x, y, zoom].every(Number.isFinite)) return null;
  return {
    hash,
    view: { x: Number(x), y: Number(y), zoom: Number(zoom) },
    folded: folded.filter((id) => typeof id === 'string'),
  };
}

/** Parses stored state. Invalid parts are replaced by defaults. */
export function readStoredState(value: unknown): StoredState {
  const { graph, inspectorWidth, tab, isFollowing, selected } = fields(value);
  return {
    graph: readGraph(graph),
    inspectorWidth: typeof inspectorWidth === 'number' && Number.isFinite(inspectorWidth) ? inspectorWidth : WIDTH,
    tab: tab === 'chat' || tab === 'context' ? tab : 'block',
    isFollowing: isFollowing !== false,
    selected: typeof selected === 'string' ? selected : null,
  };
}
