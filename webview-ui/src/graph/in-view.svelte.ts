import { untrack } from 'svelte';
import type { Camera } from './camera.svelte.ts';
import { chooseLevel, MOST_CARDS } from './level.ts';
import type { Level } from './level.ts';
import type { PlacedBlock, PlacedLane, Placement } from './placement.svelte.ts';
import type { Rect } from './rect.ts';

const MARGIN_PX = 300;
/** Distance in pixels that the camera must move before the set of mounted elements is computed again. */
const STEP_PX = 120;
const CARDS_A_FRAME = 20;
const FIRST_CARDS = 60;

const overlaps = (one: Rect, other: Rect): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

function countCards(placement: Placement, rect: Rect, enough: number): number {
  let count = 0;
  for (const lane of placement.lanes) {
    if (lane.isFolded || !overlaps(lane.rect, rect)) continue;
    for (const block of lane.blocks) if (overlaps(block.rect, rect)) count += 1;
    if (count > enough) return count;
  }
  return count;
}

/** Decides which lanes and cards of the graph are mounted as DOM elements. */
export class InView {
  level = $state<Level>('near');
  lanes = $state.raw<readonly PlacedLane[]>([]);
  blocks = $state.raw<readonly PlacedBlock[]>([]);
  #known: Level | null = null;
  #taken: Rect | null = null;
  #zoom = 0;
  #placement: Placement | null = null;
  #packed: Rect | null = null;
  #wanted: readonly PlacedBlock[] = [];
  #growing = 0;

  /** Recomputes the mounted elements after the camera has moved. Needs little time for small movements. */
  update(placement: Placement, camera: Camera): void {
    const { rect } = camera;
    const { zoom } = camera.view;
    const isMoving = camera.isMoving;
    const { bounds } = placement;
    untrack(() => {
      const next = chooseLevel(this.#known, zoom, countCards(placement, rect, MOST_CARDS));
      // If a gesture started on the canvas, the canvas stays until the gesture ends, so that no cards are mounted
      // during the gesture.
      const level = this.#known === 'far' && isMoving ? 'far' : next;
      const isOther = placement !== this.#placement || bounds !== this.#packed;
      if (level === this.#known && !isOther && zoom === this.#zoom && this.#isNear(rect, camera.scale)) return;
      this.#known = level;
      this.#placement = placement;
      this.#packed = bounds;
      this.#zoom = zoom;
      this.#taken = rect;
      this.level = level;
      this.#choose(placement, rect, camera.scale);
    });
  }

  #isNear(rect: Rect, scale: number): boolean {
    const taken = this.#taken;
    const step = STEP_PX / scale;
    return (
      taken !== null &&
      taken.width === rect.width &&
      taken.height === rect.height &&
      Math.abs(taken.x - rect.x) < step &&
      Math.abs(taken.y - rect.y) < step
    );
  }

  #choose(placement: Placement, rect: Rect, scale: number): void {
    cancelAnimationFrame(this.#growing);
    if (this.level === 'far') {
      this.#wanted = [];
      this.lanes = [];
      this.blocks = [];
      return;
    }
    const margin = MARGIN_PX / scale;
    const near = {
      x: rect.x - margin,
      y: rect.y - margin,
      width: rect.width + 2 * margin,
      height: rect.height + 2 * margin,
    };
    this.lanes = placement.lanes.filter((lane) => overlaps(lane.rect, near));
    this.#wanted = this.lanes.flatMap((lane) =>
      lane.isFolded ? [] : lane.blocks.filter((block) => overlaps(block.rect, near)),
    );
    this.#grow(this.blocks.length === 0 ? FIRST_CARDS : CARDS_A_FRAME);
  }

  /** Mounts up to `most` of the missing cards now, and the rest in the next animation frames. */
  #grow(most: number): void {
    const wanted = new Set(this.#wanted);
    const kept = this.blocks.filter((block) => wanted.has(block));
    const mounted = new Set(kept);
    const missing = this.#wanted.filter((block) => !mounted.has(block));
    this.blocks = [...kept, ...missing.slice(0, most)];
    if (missing.length > most) this.#growing = requestAnimationFrame(() => this.#grow(CARDS_A_FRAME));
  }
}
