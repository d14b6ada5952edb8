import { createElk, drawPage, drawSvg, layOutGraph, layoutGraphOf, layOutLane } from '#layout/index.ts';
import type { Graph } from '#protocol/graph.ts';
import type { GraphLayout } from '#protocol/layout.ts';

const elk = createElk();

const layoutOf = (graph: Graph): Promise<GraphLayout> =>
  layOutGraph(layoutGraphOf(graph, ''), (shape) => layOutLane(shape, elk));

export const svgOf = async (graph: Graph): Promise<string> => drawSvg(graph, await layoutOf(graph));
export const pageOf = async (graph: Graph): Promise<string> => drawPage(graph, await layoutOf(graph));
