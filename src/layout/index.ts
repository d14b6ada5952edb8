/** Layout of workflow pictures: positions of cards, routes of edges, and rendering to SVG and HTML files. */
export { type LayoutGraph, layoutGraphOf } from './graph/layout-graph.ts';
export { layOutGraph, simpleLayout } from './graph/lay-out-graph.ts';
export { createElk } from './lane/lay-out-piece.ts';
export type { LaneGeometry, LaneShape } from './lane/lane-shape.ts';
export { LANE_LAYOUT_VERSION, layOutLane } from './lane/lay-out-lane.ts';
export { readGeometry } from './lane/read-geometry.ts';
export { drawPage } from './picture/draw-page.ts';
export { DARK, drawSvg, LIGHT } from './picture/draw-svg.ts';
export { escapeMarkup } from './picture/escape-markup.ts';
