import type {
  BlockState,
  BlockStatus,
  GraphLayout,
  RowState,
  ViewBlock,
  ViewFrame,
  ViewGraph,
  ViewNode,
  ViewRow,
} from '#protocol/generated/view.gen.ts';

const LIT_MS = 900;

const untouched = (block: string): BlockState => ({
  block,
  status: 'pending',
  visits: 0,
  attempt: 0,
  since: null,
  durationMs: null,
  waitsFor: [],
  heads: 0,
  progress: null,
});

/** The reactive state of one transition row and its edge. */
export class RowModel {
  readonly info: ViewRow;
  readonly index: number;
  count = $state(0);
  /** True for 0.9 s after the transition was taken. */
  isLit = $state(false);
  #unlight: ReturnType<typeof setTimeout> | undefined;

  constructor(info: ViewRow, index: number) {
    this.info = info;
    this.index = index;
  }

  light(): void {
    clearTimeout(this.#unlight);
    this.isLit = true;
    this.#unlight = setTimeout(() => (this.isLit = false), LIT_MS);
  }
}

/**
 * The reactive state of one block's card. A status change affects this object only, so that only one card is redrawn.
 */
export class BlockModel {
  readonly info: ViewBlock;
  readonly lane: LaneModel;
  readonly rows: readonly RowModel[];
  state = $state.raw<BlockState>(untouched(''));
  /** Index of the row that was taken last, or -1. */
  lastRow = $state(-1);
  /** True if this block is the graph's tab stop. Only one block or lane is the tab stop. */
  isTabStop = $state(false);
  #lastStep = 0;

  constructor(info: ViewBlock, lane: LaneModel) {
    this.info = info;
    this.lane = lane;
    this.rows = info.rows.map((row, index) => new RowModel(row, index));
    this.state = untouched(info.id);
  }

  get id(): string {
    return this.info.id;
  }

  get status(): BlockStatus {
    return this.state.status;
  }

  /** True for a caller that waits for the node it called; its card does not pulse. */
  get isWaiting(): boolean {
    return this.state.status === 'active' && this.state.waitsFor.length > 0;
  }

  show(state: BlockState): void {
    const before = this.state.status;
    if (before === 'complete' && state.status !== 'complete') this.lane.done -= 1;
    if (before !== 'complete' && state.status === 'complete') this.lane.done += 1;
    this.state = state;
  }

  showRow(state: RowState, light: boolean): void {
    const row = this.rows[state.row];
    if (row === undefined) return;
    if (light && state.count > row.count) row.light();
    row.count = state.count;
    if (state.lastStep > this.#lastStep) {
      this.#lastStep = state.lastStep;
      this.lastRow = state.row;
    }
  }

  /** Returns true if the run has taken a row. A row that calls a node counts once the called node has returned. */
  hasTaken(row: RowModel): boolean {
    const open = this.isWaiting && this.lastRow === row.index ? 1 : 0;
    return row.count > open;
  }

  clear(): void {
    this.show(untouched(this.id));
    this.#lastStep = 0;
    this.lastRow = -1;
    for (const row of this.rows) row.count = 0;
  }
}

/** The reactive state of one node's lane. */
export class LaneModel {
  readonly info: ViewNode;
  readonly blocks: readonly BlockModel[];
  done = $state(0);
  /** The node's depth in the call stack, or null if it is not on the stack. */
  depth = $state<number | null>(null);
  isFolded = $state(false);
  /** True if this lane is the graph's tab stop. Only one block or lane is the tab stop. */
  isTabStop = $state(false);

  constructor(info: ViewNode) {
    this.info = info;
    this.blocks = info.blocks.map((block) => new BlockModel(block, this));
  }

  get id(): string {
    return this.info.id;
  }
}

/** The reactive state of a workflow's graph: one object for each lane, block and row. */
export class WorkflowModel {
  readonly graph: ViewGraph;
  readonly lanes: readonly LaneModel[];
  readonly blocks: ReadonlyMap<string, BlockModel>;
  readonly lanesById: ReadonlyMap<string, LaneModel>;
  layout = $state.raw<GraphLayout | null>(null);
  frames = $state.raw<readonly ViewFrame[]>([]);
  /** Incremented with every change that the canvases draw. */
  version = $state(0);
  /** Lanes that have changed since the canvas of the far level was drawn. */
  readonly changed = new Set<LaneModel>();

  constructor(graph: ViewGraph) {
    this.graph = graph;
    this.lanes = graph.nodes.map((node) => new LaneModel(node));
    this.blocks = new Map(this.lanes.flatMap((lane) => lane.blocks.map((block) => [block.id, block] as const)));
    this.lanesById = new Map(this.lanes.map((lane) => [lane.id, lane]));
  }

  showBlocks(states: Iterable<BlockState>): void {
    for (const state of states) {
      const block = this.blocks.get(state.block);
      if (block === undefined) continue;
      block.show(state);
      this.changed.add(block.lane);
    }
    this.version += 1;
  }

  showRows(rows: Iterable<RowState>, light: boolean): void {
    for (const row of rows) {
      const block = this.blocks.get(row.block);
      if (block === undefined) continue;
      block.showRow(row, light);
      this.changed.add(block.lane);
    }
    this.version += 1;
  }

  showFrames(frames: readonly ViewFrame[]): void {
    this.frames = frames;
    const depths = new Map<string, number>();
    for (const frame of frames) depths.set(frame.node, Math.max(frame.depth, depths.get(frame.node) ?? 0));
    for (const lane of this.lanes) {
      const depth = depths.get(lane.id) ?? null;
      if (lane.depth === depth) continue;
      lane.depth = depth;
      this.changed.add(lane);
    }
  }

  clear(): void {
    for (const block of this.blocks.values()) block.clear();
    this.showFrames([]);
  }
}
