import type { LaneGeometry, LaneShape } from '#layout/index.ts';

/** A request to the layout thread. */
export interface LayoutRequest {
  readonly id: number;
  readonly shape: LaneShape;
}

/** An answer of the layout thread. `failure`: the message of ELK's error. */
export type LayoutAnswer =
  { readonly id: number; readonly geometry: LaneGeometry } | { readonly id: number; readonly failure: string };
