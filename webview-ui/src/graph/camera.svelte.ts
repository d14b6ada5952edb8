import type { Rect } from './rect.ts';

interface View {
  /** The x coordinate of the view's top left corner, in world units; `y` likewise. */
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

const REST_MS = 140;
const EASE_MS = 250;
const LEAST_ZOOM = 0.02;
const MOST_ZOOM = 2;
const MARGIN = 24;
/**
 * The size of the central part of the view, as a fraction of the view. The camera follows the executing block only when
 * it leaves this part.
 */
const CALM_PART = 0.6;

const clampZoom = (zoom: number): number => Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, zoom));
const easeOut = (part: number): number => 1 - (1 - part) ** 3;
const prefersStillness = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches;

/** The visible part of the graph's world. World units are CSS pixels at a font size of 13 px. */
export class Camera {
  view = $state.raw<View>({ x: 0, y: 0, zoom: 1 });
  width = $state(0);
  height = $state(0);
  isMoving = $state(false);
  /** The editor's font size, divided by 13 px. */
  font = $state(1);
  /** True while the view shows the whole graph and the user has not moved the camera since. */
  isFitted = false;
  #rest: ReturnType<typeof setTimeout> | undefined;
  #ease = 0;

  get scale(): number {
    return this.view.zoom * this.font;
  }

  /** Returns the visible rectangle in world units. */
  get rect(): Rect {
    const { scale } = this;
    return { x: this.view.x, y: this.view.y, width: this.width / scale, height: this.height / scale };
  }

  toWorld(x: number, y: number): readonly [number, number] {
    return [this.view.x + x / this.scale, this.view.y + y / this.scale];
  }

  #set(view: View): void {
    this.isFitted = false;
    this.view = view;
    this.isMoving = true;
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => (this.isMoving = false), REST_MS);
  }

  /** Moves the view by a distance in screen pixels. */
  panBy(dx: number, dy: number): void {
    this.stop();
    const { x, y, zoom } = this.view;
    this.#set({ x: x + dx / this.scale, y: y + dy / this.scale, zoom });
  }

  /** Zooms while a point of the screen, by default the centre, stays in place. */
  zoomAt(factor: number, sx = this.width / 2, sy = this.height / 2): void {
    this.stop();
    const zoom = clampZoom(this.view.zoom * factor);
    const [wx, wy] = this.toWorld(sx, sy);
    const scale = zoom * this.font;
    this.#set({ x: wx - sx / scale, y: wy - sy / scale, zoom });
  }

  shift(dx: number, dy: number): void {
    this.isFitted = false;
    this.view = { ...this.view, x: this.view.x + dx, y: this.view.y + dy };
  }

  restore(view: View): void {
    this.isFitted = false;
    this.view = { ...view, zoom: clampZoom(view.zoom) };
  }

  fitted(world: Rect): View {
    const room = Math.max(1, this.width - 2 * MARGIN);
    const tall = Math.max(1, this.height - 2 * MARGIN);
    const zoom = clampZoom(Math.min(1, room / (world.width * this.font), tall / (world.height * this.font)));
    const scale = zoom * this.font;
    return {
      x: world.x + world.width / 2 - this.width / scale / 2,
      y: world.y + world.height / 2 - this.height / scale / 2,
      zoom,
    };
  }

  fit(world: Rect): void {
    this.stop();
    this.#set(this.fitted(world));
    this.isFitted = true;
  }

  isCalm(box: Rect): boolean {
    const { x, y, width, height } = this.rect;
    const edge = (1 - CALM_PART) / 2;
    return (
      box.x >= x + width * edge &&
      box.y >= y + height * edge &&
      box.x + box.width <= x + width * (1 - edge) &&
      box.y + box.height <= y + height * (1 - edge)
    );
  }

  isSeen(box: Rect): boolean {
    const { x, y, width, height } = this.rect;
    return box.x >= x && box.y >= y && box.x + box.width <= x + width && box.y + box.height <= y + height;
  }

  /** Centres a box, animated unless the user prefers reduced motion. */
  centre(box: Rect, zoom = this.view.zoom): void {
    const scale = clampZoom(zoom) * this.font;
    const to = {
      x: box.x + box.width / 2 - this.width / scale / 2,
      y: box.y + box.height / 2 - this.height / scale / 2,
      zoom: clampZoom(zoom),
    };
    this.stop();
    if (prefersStillness()) this.#set(to);
    else this.#easeTo(to);
  }

  #easeTo(to: View): void {
    const from = this.view;
    const start = performance.now();
    const step = (now: number): void => {
      const part = easeOut(Math.min(1, Math.max(0, now - start) / EASE_MS));
      this.#set({
        x: from.x + (to.x - from.x) * part,
        y: from.y + (to.y - from.y) * part,
        zoom: from.zoom + (to.zoom - from.zoom) * part,
      });
      if (part < 1) this.#ease = requestAnimationFrame(step);
    };
    this.#ease = requestAnimationFrame(step);
  }

  stop(): void {
    cancelAnimationFrame(this.#ease);
  }
}
