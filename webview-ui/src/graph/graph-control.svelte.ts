import type { BlockModel, LaneModel } from '../model/workflow-model.svelte.ts';
import type { KeptGraph } from '../model/stored-state.ts';
import type { ViewModel } from '../model/view-model.svelte.ts';
import { Camera } from './camera.svelte.ts';
import { InView } from './in-view.svelte.ts';
import { nearest } from './nearest.ts';
import type { Direction, Stop } from './nearest.ts';
import { Placement } from './placement.svelte.ts';
import type { PlacedLane } from './placement.svelte.ts';

const READING_ZOOM = 0.95;
const ZOOM_STEP = 1.25;
const PACKING_MS = 250;
/**
 * Minimum zoom at which the whole graph is fitted into the view. A larger graph opens at reading size, at its top left
 * corner.
 */
const LEAST_FIT = 0.05;

const isTyping = (): boolean => document.activeElement?.matches('input, textarea') === true;

/** The user's navigation in the graph: camera, folded lanes and keyboard focus. */
export class GraphControl {
  readonly model: ViewModel;
  readonly camera = new Camera();
  readonly inView = new InView();
  placement = $state.raw<Placement | null>(null);
  hovered = $state.raw<BlockModel | LaneModel | null>(null);
  showsCalls = $state(false);
  isPacking = $state(false);
  isDragging = $state(false);
  /** True while the keyboard focus is in the graph. */
  hasFocus = $state(false);
  /** The lane that has the keyboard focus; null if a block has it. */
  lane = $state.raw<LaneModel | null>(null);
  #hash: string | null = null;
  #kept: KeptGraph | null;
  #packed: ReturnType<typeof setTimeout> | undefined;

  constructor(model: ViewModel, kept: KeptGraph | null) {
    this.model = model;
    this.#kept = kept;
    model.onReveal = (block) => this.reveal(block);
  }

  /** Computes the placement of the workflow's cards. It needs the layout and the size of the view. */
  place(): void {
    const workflow = this.model.workflow;
    const layout = workflow?.layout ?? null;
    if (workflow === null || layout === null) {
      this.placement = null;
      this.#hash = null;
      return;
    }
    const kept = this.#kept?.hash === workflow.graph.hash ? this.#kept : null;
    for (const id of kept?.folded ?? []) {
      const lane = workflow.lanesById.get(id);
      if (lane !== undefined) lane.isFolded = true;
    }
    this.placement = new Placement(workflow, layout);
    if (this.#hash === workflow.graph.hash) return;
    this.#hash = workflow.graph.hash;
    if (kept !== null) this.camera.restore(kept.view);
    else this.fit();
    this.#kept = null;
  }

  keep(): KeptGraph | null {
    const { placement, camera } = this;
    if (placement === null || this.#hash === null) return null;
    return {
      hash: this.#hash,
      view: camera.view,
      folded: placement.lanes.filter((lane) => lane.isFolded).map((lane) => lane.lane.id),
    };
  }

  /** Stops following the run, because the user moves the camera. */
  takeOver(): void {
    this.model.isFollowing = false;
  }

  fit(): void {
    const { placement, camera } = this;
    if (placement === null) return;
    camera.fit(placement.bounds);
    if (camera.view.zoom > LEAST_FIT) return;
    camera.restore({ x: -24, y: -24, zoom: READING_ZOOM });
  }

  /** Keeps the whole graph in view when the view is resized. */
  resized(): void {
    if (this.camera.isFitted) this.fit();
  }

  zoom(direction: 1 | -1): void {
    this.takeOver();
    this.camera.zoomAt(direction === 1 ? ZOOM_STEP : 1 / ZOOM_STEP);
  }

  follow(): void {
    this.model.isFollowing = true;
    this.keepUp(true);
  }

  /** Centres the executing block, unless it is already in the central part of the view. */
  keepUp(force = false): void {
    const { model, camera, placement } = this;
    const block = model.currentBlock();
    if (block === null || placement === null || camera.width === 0) return;
    if (!force && (this.isDragging || isTyping())) return;
    const box = placement.boxOf(block);
    if (box === null || camera.isCalm(box)) return;
    const seesAll = camera.isSeen(placement.bounds);
    if (seesAll && !force) return;
    camera.centre(box, this.inView.level === 'far' && force ? READING_ZOOM : camera.view.zoom);
  }

  /** Moves the camera to a block, unless the block is already clearly visible. */
  reveal(block: BlockModel): void {
    const { placement, camera } = this;
    const box = placement?.boxOf(block) ?? null;
    if (box === null) return;
    this.lane = null;
    if (this.inView.level === 'far') camera.centre(box, READING_ZOOM);
    else if (!camera.isSeen(box)) camera.centre(box);
  }

  toggle(lane: PlacedLane): void {
    const { placement, camera } = this;
    if (placement === null) return;
    this.isPacking = true;
    clearTimeout(this.#packed);
    this.#packed = setTimeout(() => (this.isPacking = false), PACKING_MS);
    const [dx, dy] = placement.toggle(lane);
    // Keeps the clicked header under the pointer, although folding moves the lane.
    camera.shift(dx, dy);
    const { selected } = this.model;
    if (lane.isFolded && selected?.lane === lane.lane) this.lane = lane.lane;
    if (!lane.isFolded && this.lane === lane.lane) this.lane = null;
  }

  toggleFocused(): void {
    const lane = this.lane ?? this.model.selected?.lane ?? null;
    const placed = lane === null ? undefined : this.placement?.lanesById.get(lane.id);
    if (placed !== undefined) this.toggle(placed);
  }

  /** Returns the block or folded lane that has the keyboard focus. */
  get focused(): BlockModel | LaneModel | null {
    if (this.lane !== null) return this.lane;
    return this.model.selected ?? this.model.currentBlock() ?? this.model.workflow?.lanes[0]?.blocks[0] ?? null;
  }

  focus(target: BlockModel | LaneModel): void {
    if ('blocks' in target) {
      this.lane = target;
      return;
    }
    this.lane = null;
    this.model.select(target);
  }

  /** Moves the keyboard focus to the nearest block or folded lane in a direction. */
  move(direction: Direction): void {
    const { placement, focused, camera } = this;
    if (placement === null || focused === null) return;
    const stops: Stop<BlockModel | LaneModel>[] = placement.lanes.flatMap((lane): Stop<BlockModel | LaneModel>[] =>
      lane.isFolded
        ? [{ rect: lane.rect, target: lane.lane }]
        : lane.blocks.map((block) => ({ rect: block.rect, target: block.block })),
    );
    const here = stops.find(({ target }) => target === focused || ('lane' in focused && target === focused.lane));
    if (here === undefined) return;
    const target = nearest(here.rect, stops, direction);
    if (target === null) return;
    this.focus(target);
    const rect = stops.find((stop) => stop.target === target)?.rect;
    if (rect !== undefined && !camera.isSeen(rect)) {
      this.takeOver();
      camera.centre(rect);
    }
  }
}
