import type { BlockBox, GraphLayout, LaneLayout, Point } from '#protocol/layout.ts';
import { LANE, portOffset } from '#protocol/layout.ts';
import { packLanes } from '#protocol/pack-lanes.ts';
import type { BlockModel, LaneModel, RowModel, WorkflowModel } from '../model/workflow-model.svelte.ts';
import type { Rect } from './rect.ts';
import { arrowPath, curvePath, routePath } from './edge-path.ts';

/** The edge of a transition row within a lane. */
export interface PlacedEdge {
  readonly row: RowModel;
  readonly from: PlacedBlock;
  readonly points: readonly Point[];
  readonly path: string;
  readonly arrow: string;
}

/** A block's card with its position. */
export class PlacedBlock {
  readonly block: BlockModel;
  readonly lane: PlacedLane;
  readonly box: BlockBox;

  constructor(block: BlockModel, lane: PlacedLane, box: BlockBox) {
    this.block = block;
    this.lane = lane;
    this.box = box;
  }

  get rect(): Rect {
    const { x, y, width, height } = this.box;
    return { x: this.lane.x + x, y: this.lane.y + y, width, height };
  }
}

/** A lane with its position. Its cards and edges have positions relative to it. */
export class PlacedLane {
  readonly lane: LaneModel;
  readonly layout: LaneLayout;
  readonly blocks: readonly PlacedBlock[];
  readonly edges: readonly PlacedEdge[];
  /** One SVG path for all edges as they look before they are taken. Taken edges are drawn on top of it. */
  readonly idlePath: string;
  readonly idleArrows: string;
  x = $state(0);
  y = $state(0);

  constructor(lane: LaneModel, layout: LaneLayout) {
    this.lane = lane;
    this.layout = layout;
    const boxes = new Map(layout.blocks.map((box) => [box.id, box]));
    this.blocks = lane.blocks.flatMap((block) => {
      const box = boxes.get(block.id);
      return box === undefined ? [] : [new PlacedBlock(block, this, box)];
    });
    const placed = new Map(this.blocks.map((block) => [block.block.id, block]));
    this.edges = layout.edges.flatMap(({ block, row, points }) => {
      const from = placed.get(block);
      const model = from?.block.rows[row];
      if (from === undefined || model === undefined || points.length < 2) return [];
      return [{ row: model, from, points, path: routePath(points), arrow: arrowPath(points) }];
    });
    this.idlePath = this.edges.map(({ path }) => path).join('');
    this.idleArrows = this.edges.map(({ arrow }) => arrow).join('');
  }

  get isFolded(): boolean {
    return this.lane.isFolded;
  }

  get rect(): Rect {
    return { x: this.x, y: this.y, ...laneSize(this) };
  }
}

const laneSize = ({ lane, layout }: PlacedLane): { readonly width: number; readonly height: number } =>
  lane.isFolded ? { width: LANE.foldedWidth, height: LANE.header } : { width: layout.width, height: layout.height };

/** A jump from one lane to a block of another lane. */
export interface CrossJump {
  readonly from: PlacedBlock;
  readonly row: RowModel;
  readonly to: PlacedBlock;
}

/** The positions of all lanes, cards and edges of a workflow. */
export class Placement {
  readonly lanes: readonly PlacedLane[];
  readonly blocks: ReadonlyMap<string, PlacedBlock>;
  readonly lanesById: ReadonlyMap<string, PlacedLane>;
  readonly jumps: readonly CrossJump[];
  readonly isSimple: boolean;
  readonly #packing: GraphLayout['packing'];
  bounds = $state.raw<Rect>({ x: 0, y: 0, width: 1, height: 1 });

  constructor(workflow: WorkflowModel, layout: GraphLayout) {
    this.#packing = layout.packing;
    this.isSimple = layout.simple;
    this.lanes = layout.lanes.flatMap((lane) => {
      const model = workflow.lanesById.get(lane.id);
      return model === undefined ? [] : [new PlacedLane(model, lane)];
    });
    this.lanesById = new Map(this.lanes.map((lane) => [lane.lane.id, lane]));
    this.blocks = new Map(this.lanes.flatMap((lane) => lane.blocks.map((block) => [block.block.id, block] as const)));
    this.jumps = [...this.blocks.values()].flatMap((from) => this.#jumpsOf(from));
    this.pack();
  }

  #jumpsOf(from: PlacedBlock): readonly CrossJump[] {
    return from.block.rows.flatMap((row) => {
      const { action } = row.info;
      const to = action.kind === 'jump' ? this.blocks.get(action.block) : undefined;
      return to === undefined || to.lane === from.lane ? [] : [{ from, row, to }];
    });
  }

  /** Computes the positions of the lanes: those of the layout, or newly packed ones if a lane is folded. */
  pack(): void {
    const isWhole = this.lanes.every((lane) => !lane.isFolded);
    const positions = isWhole
      ? this.#packing
      : packLanes(this.lanes.map((lane) => ({ id: lane.lane.id, beside: lane.layout.beside, ...laneSize(lane) })));
    for (const { id, x, y } of positions) {
      const lane = this.lanesById.get(id);
      if (lane === undefined) continue;
      lane.x = x;
      lane.y = y;
    }
    const rects = this.lanes.map(({ rect }) => rect);
    const right = Math.max(1, ...rects.map(({ x, width }) => x + width));
    const bottom = Math.max(1, ...rects.map(({ y, height }) => y + height));
    this.bounds = { x: 0, y: 0, width: right, height: bottom };
  }

  /** Folds or unfolds a lane and packs the lanes again. Returns the distance by which the lane has moved. */
  toggle(lane: PlacedLane): readonly [number, number] {
    const { x, y } = lane;
    lane.lane.isFolded = !lane.lane.isFolded;
    this.pack();
    return [lane.x - x, lane.y - y];
  }

  laneAt(x: number, y: number): PlacedLane | null {
    return this.lanes.find(({ rect }) => contains(rect, x, y)) ?? null;
  }

  blockAt(x: number, y: number): PlacedBlock | null {
    const lane = this.laneAt(x, y);
    if (lane === null || lane.isFolded) return null;
    return lane.blocks.find(({ rect }) => contains(rect, x, y)) ?? null;
  }

  /** Returns the box of a block, or that of its lane if the lane is folded; null if the block has no layout. */
  boxOf(block: BlockModel): Rect | null {
    const placed = this.blocks.get(block.id);
    if (placed === undefined) return null;
    return placed.lane.isFolded ? placed.lane.rect : placed.rect;
  }
}

const contains = (rect: Rect, x: number, y: number): boolean =>
  x >= rect.x && y >= rect.y && x <= rect.x + rect.width && y <= rect.y + rect.height;

/** Returns the output port of a row. For a folded lane, this is the middle of the lane's right side. */
function portOf(block: PlacedBlock, row: number): readonly [number, number] {
  const { x, y, width, height } = block.lane.isFolded ? block.lane.rect : block.rect;
  return [x + width, block.lane.isFolded ? y + height / 2 : y + portOffset(row)];
}

export function jumpPath({ from, row, to }: CrossJump): string {
  const [x, y] = portOf(from, row.index);
  const target = to.lane.isFolded ? to.lane.rect : to.rect;
  const ty = to.lane.isFolded ? target.y + target.height / 2 : target.y + portOffset(0);
  return curvePath([x, y], [target.x, ty], [1, 0], [-1, 0]);
}

const INSET = 14;

/** Returns the SVG path of the dashed curve from a card to a lane that it calls. */
export function callPath(from: PlacedBlock, to: PlacedLane): string {
  const card = from.lane.isFolded ? from.lane.rect : from.rect;
  const lane = to.rect;
  const x = card.x + card.width / 2;
  const isBelow = lane.y >= card.y + card.height;
  const isAbove = lane.y + lane.height <= card.y;
  const tx = Math.min(Math.max(x, lane.x + INSET), lane.x + lane.width - INSET);
  // To a lane beside it, the curve goes in an arch over the cards in between.
  return curvePath(
    [x, isBelow ? card.y + card.height : card.y],
    [tx, isAbove ? lane.y + lane.height : lane.y],
    [0, isBelow ? 1 : -1],
    [0, isAbove ? 1 : -1],
  );
}
