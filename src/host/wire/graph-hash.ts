import { createHash } from 'node:crypto';
import type { Graph } from '#protocol/graph.ts';

/** Returns a hash that is equal for equal manifests, so that client and host can compare what they compiled. */
export const graphHash = (graph: Graph): string => createHash('sha256').update(JSON.stringify(graph)).digest('hex');
