import type {
  AttemptRow,
  BlockState,
  NodeSpending,
  RowState,
  RunFacts,
  Spending,
  TakenTransition,
  ViewFrame,
  Visit,
} from '#protocol/generated/view.gen.ts';
import { NO_SPENDING } from '#protocol/view/add-spending.ts';
import type { Graph, GraphBlock } from '#protocol/graph.ts';
import type { HaltReason } from '#protocol/response.ts';

/** A halt, as reported by the events of a run. */
export interface PictureHalt {
  readonly halt: string;
  readonly block: string;
  readonly frame: string;
  readonly visit: number;
  readonly why: HaltReason;
  readonly since: number;
}

/** The names of the parts that have changed since the last call. */
interface ChangedParts {
  readonly blocks: Set<string>;
  readonly rows: Set<string>;
  readonly visits: Set<string>;
  readonly nodes: Set<string>;
  frames: boolean;
  run: boolean;
  totals: boolean;
  taken: boolean;
  halts: boolean;
}

/** The active time of a run: `before` in completed periods, plus the time since `from`; null while it rests. */
interface ActiveTime {
  before: number;
  from: number | null;
}

/**
 * The state of a run, built from its events. Only the functions of this folder change it; entries of its maps are
 * replaced, never modified.
 */
export interface RunPicture {
  readonly graphBlocks: ReadonlyMap<string, GraphBlock>;
  run: RunFacts;
  readonly blocks: Map<string, BlockState>;
  readonly rows: Map<string, RowState>;
  readonly frames: Map<string, ViewFrame>;
  /** The visits in the order in which they began. */
  readonly visits: Map<string, Visit>;
  readonly nodes: Map<string, NodeSpending>;
  readonly halts: Map<string, PictureHalt>;
  /** The attempts by block, oldest first. */
  readonly attempts: Map<string, readonly AttemptRow[]>;
  lastTransition: TakenTransition | null;
  spending: Spending;
  /** The visits whose model calls were counted one by one. What their workers report at the end is the same usage. */
  readonly countedVisits: Set<string>;
  readonly activeTime: ActiveTime;
  /** The time of the newest event. */
  at: number;
  seq: number;
  answers: number;
  /** The latest results of evidence, by its name. */
  readonly checks: Map<string, boolean>;
  changed: ChangedParts;
}

export const nothingChanged = (): ChangedParts => ({
  blocks: new Set(),
  rows: new Set(),
  visits: new Set(),
  nodes: new Set(),
  frames: false,
  run: false,
  totals: false,
  taken: false,
  halts: false,
});

const IDLE_BLOCK = { status: 'pending', visits: 0, attempt: 0, since: null, durationMs: null } as const;

export const blockState = ({ blocks }: RunPicture, block: string): BlockState =>
  blocks.get(block) ?? { block, ...IDLE_BLOCK, waitsFor: [], heads: 0, progress: null };

export function changeBlock(picture: RunPicture, block: string, change: Partial<BlockState>): void {
  picture.blocks.set(block, { ...blockState(picture, block), ...change });
  picture.changed.blocks.add(block);
}

export const visitId = (frame: string, block: string, visit: number): string => `${frame} ${block}#${visit}`;

export function changeVisit(picture: RunPicture, id: string, change: (visit: Visit) => Partial<Visit>): void {
  const visit = picture.visits.get(id);
  if (visit === undefined) return;
  picture.visits.set(id, { ...visit, ...change(visit) });
  picture.changed.visits.add(id);
}

export function changeNode(
  picture: RunPicture,
  node: string,
  change: (known: NodeSpending) => Partial<NodeSpending>,
): void {
  const known = picture.nodes.get(node) ?? { node, visits: 0, durationMs: 0, spending: NO_SPENDING };
  picture.nodes.set(node, { ...known, ...change(known) });
  picture.changed.nodes.add(node);
}

export function changeRun(picture: RunPicture, change: Partial<RunFacts>): void {
  picture.run = { ...picture.run, ...change };
  picture.changed.run = true;
}

/** Facts about the displayed run that no event contains. */
type KnownOfRun = Pick<RunFacts, 'run' | 'entry' | 'stepMode' | 'startedAt' | 'forkedFrom'>;

/** Returns the picture of a run before its first event. */
export function newPicture({ nodes }: Graph, known: KnownOfRun): RunPicture {
  return {
    graphBlocks: new Map(nodes.flatMap(({ blocks }) => blocks.map((block) => [block.id, block] as const))),
    run: { ...known, status: 'running', endedAt: null, why: null, next: null, steps: 0, warnings: [] },
    blocks: new Map(),
    rows: new Map(),
    frames: new Map(),
    visits: new Map(),
    nodes: new Map(),
    halts: new Map(),
    attempts: new Map(),
    checks: new Map(),
    lastTransition: null,
    spending: NO_SPENDING,
    countedVisits: new Set(),
    activeTime: { before: 0, from: null },
    at: known.startedAt,
    seq: 0,
    answers: 0,
    changed: nothingChanged(),
  };
}
