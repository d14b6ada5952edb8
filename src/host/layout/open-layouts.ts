import os from 'node:os';
import path from 'node:path';
import { type LaneGeometry, type LaneShape, type LayoutGraph, layOutGraph } from '#layout/index.ts';
import type { GraphLayout } from '#protocol/layout.ts';
import { userFolders } from '#protocol/user-folders.ts';
import { keptLanes } from './kept-lanes.ts';
import { createLayoutThread, type LayoutThread } from './layout-thread.ts';

/** Computes layouts in a thread and caches them on disk by the content of each node. */
interface Layouts {
  /** Never rejects: a node that can't be laid out gets a simple layout, and the result reports that. */
  layoutOf(graph: LayoutGraph): Promise<GraphLayout>;
  close(): Promise<void>;
}

interface LayoutParts {
  /** The folder of the cached lane layouts. */
  readonly folder: string;
  readonly thread: LayoutThread;
  /** The time in milliseconds since the epoch. */
  readonly now: () => number;
}

/** The maximum number of lanes cached in memory. */
const MOST_LANES = 500;

const layoutFolder = (): string => path.join(userFolders(process.platform, os.homedir, process.env).cache, 'layout');

const usualParts = (): LayoutParts => ({
  folder: layoutFolder(),
  thread: createLayoutThread(),
  now: () => Date.now(),
});

export function openLayouts({ folder, thread, now }: LayoutParts = usualParts()): Layouts {
  const kept = keptLanes(folder, now);
  const known = new Map<string, Promise<LaneGeometry | null>>();
  const compute = async (shape: LaneShape): Promise<LaneGeometry | null> => {
    const before = await kept.read(shape);
    if (before !== null) return before;
    const geometry = await thread.layOut(shape);
    if (geometry !== null) await kept.write(shape, geometry);
    return geometry;
  };
  const layOutShape = (shape: LaneShape): Promise<LaneGeometry | null> => {
    const key = JSON.stringify(shape);
    const computed = known.get(key) ?? compute(shape);
    // Moves the entry to the end, as the most recently used one. Failures are not cached, so they are tried again with
    // the next graph.
    known.delete(key);
    known.set(key, computed);
    void computed.then((geometry) => geometry === null && known.get(key) === computed && known.delete(key));
    const [oldest] = known.keys();
    if (known.size > MOST_LANES && oldest !== undefined) known.delete(oldest);
    return computed;
  };
  return {
    layoutOf: (graph) => layOutGraph(graph, layOutShape),
    close: () => thread.close(),
  };
}
