import { createHash } from 'node:crypto';
import type { Graph } from '#protocol/graph.ts';

/** The same for the same manifest, wherever it is compiled: what a client has checked is what a host takes. */
export const graphHash = (graph: Graph): string => createHash('sha256').update(JSON.stringify(graph)).digest('hex');
