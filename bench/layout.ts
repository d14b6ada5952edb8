import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLayoutThread } from '../src/host/layout/layout-thread.ts';
import { openLayouts } from '../src/host/layout/open-layouts.ts';
import type { LayoutGraph } from '../src/layout/index.ts';
import { packLanes } from '../src/protocol/pack-lanes.ts';

/** Returns a graph whose nodes have 5 to 14 blocks, about 2.2 rows with an edge per block, and calls between nodes. */
function graphOf(blocks: number): LayoutGraph {
  let state = 7;
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  const sizes: number[] = [];
  for (let left = blocks; left > 0; left -= sizes.at(-1) ?? left) sizes.push(Math.min(left, 5 + random(10)));
  const jump = (node: number, block: number) => ({ action: { kind: 'jump' as const, block: `${node}.${block}` } });
  return {
    hash: String(blocks),
    entry: 'node 0',
    nodes: sizes.map((size, node) => ({
      id: `node ${node}`,
      blocks: Array.from({ length: size }, (_, block) => ({
        id: `${node}.${block}`,
        rows: [
          block + 1 < size ? jump(node, block + 1) : { action: { kind: 'return' as const } },
          jump(node, Math.max(0, block - random(4))),
          ...(random(3) === 0 ? [jump(node, random(size))] : []),
          { action: { kind: 'call' as const, node: `node ${(node + 1 + random(4)) % sizes.length}`, returnTo: null } },
        ],
      })),
    })),
  };
}

export interface LayoutCosts {
  /**
   * The duration of a layout in milliseconds: `cold`, computed in a new thread; `kept`, read from disk; `again`, read
   * from memory; `fold`, only the packing that is repeated when a node is folded.
   */
  readonly cold: number;
  readonly kept: number;
  readonly again: number;
  readonly fold: number;
}

async function milliseconds<Value>(work: () => Value | Promise<Value>): Promise<readonly [number, Value]> {
  const started = performance.now();
  const value = await work();
  return [performance.now() - started, value];
}

/** Measures each kind of layout of one graph, with a cache folder of its own. */
export async function layoutCosts(blocks: number): Promise<LayoutCosts> {
  const folder = mkdtempSync(path.join(tmpdir(), 'robosmith-layout-'));
  const open = () => openLayouts({ folder, thread: createLayoutThread(), now: () => Date.now() });
  const graph = graphOf(blocks);
  try {
    const first = open();
    const [cold, layout] = await milliseconds(() => first.layoutOf(graph));
    if (layout.simple) throw new Error('the layout engine failed');
    const [again] = await milliseconds(() => first.layoutOf(graph));
    await first.close();
    const second = open();
    const [kept] = await milliseconds(() => second.layoutOf(graph));
    await second.close();
    const [fold] = await milliseconds(() => packLanes(layout.lanes));
    return { cold, kept, again, fold };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
