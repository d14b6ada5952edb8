import { createHash } from 'node:crypto';
import type { Graph } from '#protocol/graph.ts';

/**
 * Returns a hash that is equal for equal manifests, so that client and host can tell whether they have compiled the
 * same manifest.
 */
export const graphHash = (graph: Graph): string => createHash('sha256').update(JSON.stringify(graph)).digest('hex');
