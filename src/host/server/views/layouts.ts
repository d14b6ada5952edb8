import type { GraphLayout, LayoutProgress, ViewGraph } from '#protocol/generated/view.gen.ts';
import { messageOf } from '#protocol/message-of.ts';

/** The maximum number of layouts cached in memory. */
const MOST = 32;

export type LayOut = (graph: ViewGraph) => Promise<GraphLayout>;

export interface Layouts {
  /** Returns the layout of a graph, or null while it is being computed. `onReady` is called when it is available. */
  find(graph: ViewGraph): GraphLayout | null;
  progress(graph: ViewGraph): LayoutProgress;
  byHash(hash: string): GraphLayout | null;
}

const blocksIn = ({ nodes }: ViewGraph): number => nodes.reduce((sum, { blocks }) => sum + blocks.length, 0);

/** Computes each graph's layout once. */
export function createLayouts(layOut: LayOut, onReady: (hash: string) => void): Layouts {
  const ready = new Map<string, GraphLayout>();
  const failed = new Map<string, string>();
  const computing = new Set<string>();

  const compute = async (graph: ViewGraph): Promise<void> => {
    const { hash } = graph;
    try {
      ready.set(hash, await layOut(graph));
      for (const old of [...ready.keys()].slice(0, -MOST)) ready.delete(old);
    } catch (thrown) {
      failed.set(hash, messageOf(thrown));
    }
    computing.delete(hash);
    onReady(hash);
  };

  return {
    find: (graph) => {
      const { hash } = graph;
      const known = ready.get(hash);
      if (known !== undefined) return known;
      if (!computing.has(hash) && !failed.has(hash)) {
        computing.add(hash);
        void compute(graph);
      }
      return null;
    },
    progress: (graph) => {
      const [blocks, why] = [blocksIn(graph), failed.get(graph.hash)];
      if (why !== undefined) return { status: 'failed', blocks, message: why };
      const isReady = ready.has(graph.hash);
      return { status: isReady ? 'ready' : 'computing', blocks, message: null };
    },
    byHash: (hash) => ready.get(hash) ?? null,
  };
}
