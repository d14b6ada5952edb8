import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createElk, layOutGraph, type LayoutGraph, layoutGraphOf, layOutLane, simpleLayout } from '#layout/index.ts';
import { type GraphLayout, LANE, portOffset } from '#protocol/layout.ts';
import { packLanes } from '#protocol/pack-lanes.ts';
import { type Sample, sampleGraph } from '../compiler-export/sample-graph.ts';
import { tooNear } from './check-lane.ts';
import { shapes } from './random-shapes.ts';

const elk = createElk();
const layoutOf = (graph: LayoutGraph): Promise<GraphLayout> => layOutGraph(graph, (shape) => layOutLane(shape, elk));
const ofSample = (sample: Sample): LayoutGraph => layoutGraphOf(sampleGraph(sample), 'hash');

const row = (action: string) => ({ signal: 'SUCCESS', action });
const single = (...actions: readonly string[]) => ({ Only: { rows: actions.map(row) } });

const laneBoxes = ({ lanes, packing }: GraphLayout) =>
  packing.map(({ x, y }, index) => ({ x, y, width: lanes[index]!.width, height: lanes[index]!.height }));

const graphs: fc.Arbitrary<LayoutGraph> = fc
  .array(fc.tuple(shapes(8), fc.array(fc.nat(20), { maxLength: 3 })), { minLength: 1, maxLength: 9 })
  .map((parts) => ({
    hash: 'hash',
    entry: 'node 0',
    nodes: parts.map(([shape, calls], node) => ({
      id: `node ${node}`,
      blocks: [
        ...shape.map((rows, block) => ({
          id: `${node} ${block}`,
          rows: rows.map((target) => ({
            action:
              target === null ? { kind: 'return' as const } : { kind: 'jump' as const, block: `${node} ${target}` },
          })),
        })),
        {
          id: `${node} fork`,
          rows: [
            {
              action: {
                kind: 'fork' as const,
                nodes: calls.map((one) => `node ${one % parts.length}`),
                returnTo: null,
              },
            },
          ],
        },
      ],
    })),
  }));

test('lanes keep their distance, every node has one, and the picture is as large as they need', async () => {
  await fc.assert(
    fc.asyncProperty(graphs, async (graph) => {
      const layout = await layoutOf(graph);
      expect(tooNear(laneBoxes(layout), LANE.gap)).toEqual([]);
      expect(layout.lanes.map(({ id }) => id).sort()).toEqual(graph.nodes.map(({ id }) => id).sort());
      expect(layout.packing.map(({ id }) => id)).toEqual(layout.lanes.map(({ id }) => id));
      expect(layout.width).toBe(Math.max(...laneBoxes(layout).map(({ x, width }) => x + width)));
      expect(layout.height).toBe(Math.max(...laneBoxes(layout).map(({ y, height }) => y + height)));
      const placed = new Set<string>();
      for (const { id, beside } of layout.lanes) {
        if (beside !== null) expect(placed).toContain(beside);
        placed.add(id);
      }
    }),
    { numRuns: 25 },
  );
});

test('names have no part in where things stand', async () => {
  const rename = (text: string): string => text.replaceAll('Main', '<b>"\u202e').replaceAll('Other', 'x'.repeat(5_000));
  const graph = ofSample({
    Main: { A: { rows: [row('JUMP:Main__B'), row('CALL:Other:Main__A')] }, B: { rows: [row('RETURN')] } },
    Other: single('RETURN'),
  });
  const renamed = JSON.parse(rename(JSON.stringify(graph)).replaceAll('"\u202e', '\\"\u202e')) as LayoutGraph;
  const [a, b] = [await layoutOf(graph), await layoutOf(renamed)];
  expect(b.packing.map(({ x, y }) => [x, y])).toEqual(a.packing.map(({ x, y }) => [x, y]));
  expect(b.lanes[0]?.edges.map(({ points }) => points)).toEqual(a.lanes[0]?.edges.map(({ points }) => points));
  expect(b.lanes[1]?.id).toBe('x'.repeat(5_000));
});

test('a row that calls and then goes on in the same node has an edge; one that ends or leaves the node has none', async () => {
  const { lanes } = await layoutOf(
    ofSample({
      Main: {
        A: {
          rows: [row('CALL:Other:Main__B'), row('CALL:Other'), row('RETURN'), row('HALT'), row('JUMP:Other__Only')],
        },
        B: { rows: [row('FORK:Other:Main__A')] },
      },
      Other: single(),
    }),
  );
  expect(lanes[0]?.edges.map(({ block, row: of, to }) => [block, of, to])).toEqual([
    ['Main__A', 0, 'Main__B'],
    ['Main__B', 0, 'Main__A'],
  ]);
});

test('callers come before those that they call, whatever the order in the manifest', async () => {
  const { lanes } = await layoutOf({
    ...ofSample({
      Leaf: single('RETURN'),
      Alone: single('CALL:Leaf'),
      Main: single('CALL:Late', 'CALL:Early'),
      Early: single('CALL:Leaf'),
      Late: single('CALL:Early', 'JUMP:Leaf__Only'),
    }),
    entry: 'Main',
  });
  expect(lanes.map(({ id }) => id)).toEqual(['Main', 'Late', 'Early', 'Leaf', 'Alone']);
});

test('nodes that call each other in a circle are all there, the entry first', async () => {
  const { lanes } = await layoutOf({
    ...ofSample({ A: single('CALL:B'), B: single('CALL:C'), C: single('CALL:A', 'CALL:C') }),
    entry: 'B',
  });
  expect(lanes.map(({ id }) => id)).toEqual(['B', 'C', 'A']);
});

test('a chain of 20,000 nodes is ordered', () => {
  const nodes = Array.from({ length: 20_000 }, (_, index) => ({
    id: `n${index}`,
    blocks: [{ id: `b${index}`, rows: [{ action: { kind: 'call' as const, node: `n${index + 1}`, returnTo: null } }] }],
  }));
  const layout = simpleLayout({ hash: '', entry: 'n0', nodes: nodes.toReversed().slice(0, 2_000) });
  expect(layout.lanes[0]?.id).toBe('n19999');
  expect(layout.lanes).toHaveLength(2_000);
});

const fork = (branches: readonly string[]): Sample => ({
  Main: single(`FORK:${branches.join(',')}`),
  ...Object.fromEntries(branches.map((branch) => [branch, single('RETURN')])),
});

test('branches of a fork stand side by side, in written order', async () => {
  const { lanes, packing } = await layoutOf({
    ...ofSample({
      ...fork(['One', 'Two', 'Three']),
      Wide: Object.fromEntries(
        Array.from({ length: 8 }, (_, block) => [`b${block}`, { rows: [row(`JUMP:Wide__b${block + 1}`)] }]),
      ),
    }),
    entry: 'Main',
  });
  const places = new Map(packing.map(({ id, x, y }) => [id, { x, y }] as const));
  expect(lanes.filter(({ beside }) => beside !== null).map(({ id, beside }) => [id, beside])).toEqual([
    ['Two', 'One'],
    ['Three', 'Two'],
  ]);
  const branches = ['One', 'Two', 'Three'].map((id) => places.get(id)!);
  expect(new Set(branches.map(({ y }) => y)).size).toBe(1);
  const step = LANE.foldedWidth + LANE.gap;
  expect(branches.map(({ x }) => x - branches[0]!.x)).toEqual([0, step, 2 * step]);
});

test('thirty branches of a fork don’t make the picture wider than it has to be', async () => {
  const { width, height } = await layoutOf(ofSample(fork(Array.from({ length: 30 }, (_, index) => `Branch${index}`))));
  expect(width / height).toBeLessThan(2.5);
});

test('folding a lane only needs its new size', async () => {
  const { lanes, packing } = await layoutOf(ofSample(fork(['One', 'Two'])));
  expect(packLanes(lanes)).toEqual(packing);
  const folded = lanes.map((lane) => ({ ...lane, width: LANE.foldedWidth, height: LANE.header }));
  expect(
    tooNear(
      packLanes(folded).map(({ x, y }) => ({ x, y, width: LANE.foldedWidth, height: LANE.header })),
      LANE.gap,
    ),
  ).toEqual([]);
});

test('without ELK blocks stand in written order with straight edges, and the layout says so', async () => {
  const graph = ofSample({
    Main: { A: { rows: [row('JUMP:Main__B')] }, B: { rows: [row('JUMP:Main__A')] } },
    Other: single('RETURN'),
  });
  const layout = await layOutGraph(graph, (shape) =>
    shape.length === 2 ? Promise.resolve(null) : layOutLane(shape, elk),
  );
  expect(layout.simple).toBe(true);
  const top = LANE.header + LANE.padding / 2;
  const port = top + portOffset(0);
  expect(layout.lanes[0]?.blocks.map(({ id, x, y }) => [id, x, y])).toEqual([
    ['Main__A', 18, top],
    ['Main__B', 232, top],
  ]);
  expect(layout.lanes[0]?.edges.map(({ points }) => points)).toEqual([
    [
      [198, port],
      [232, port],
    ],
    [
      [412, port],
      [18, port],
    ],
  ]);
  expect(simpleLayout(graph)).toEqual(layout);
  expect((await layoutOf(graph)).simple).toBe(false);
});

test('a graph without nodes has an empty layout', async () => {
  expect(await layoutOf({ hash: 'h', entry: null, nodes: [] })).toEqual({
    graph: 'h',
    width: 0,
    height: 0,
    lanes: [],
    packing: [],
    simple: false,
  });
});
