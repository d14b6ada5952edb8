import type { LaneGeometry, LaneShape } from '#layout/index.ts';

/** What the layout thread is sent. */
export interface LayoutRequest {
  readonly id: number;
  readonly shape: LaneShape;
}

/** What the layout thread answers. `failure`: the message of ELK's error. */
export type LayoutAnswer =
  { readonly id: number; readonly geometry: LaneGeometry } | { readonly id: number; readonly failure: string };
