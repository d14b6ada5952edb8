import { expect, test } from 'vitest';
import { layOutLanes } from '#compiler/export/html/lay-out-lanes.ts';
import { layOutMap } from '#compiler/export/html/lay-out-map.ts';
import { draw } from '#compiler/export/drawing/drawing.ts';
import { sampleGraph } from './sample-graph.ts';

test('short arrows run inside long ones, and overlapping ones never share a lane', () => {
  expect(
    layOutLanes([
      { top: 0, bottom: 100 },
      { top: 10, bottom: 20 },
      { top: 30, bottom: 40 },
      { top: 15, bottom: 35 },
    ]),
  ).toEqual({
    lanes: [2, 0, 0, 1],
    count: 3,
  });
});

test('nodes stand in columns by their distance from the entry; unreached ones in the last', () => {
  const { places } = layOutMap(
    draw(
      sampleGraph({
        Main: { A: { rows: [{ signal: 'SUCCESS', action: 'CALL:Near' }] } },
        Alone: { A: { rows: [] } },
        Far: { A: { rows: [{ signal: 'SUCCESS', action: 'CALL:Main' }] } },
        Near: { A: { rows: [{ signal: 'SUCCESS', action: 'FORK:Far,Near' }] } },
      }),
    ),
  );
  expect(places.map(({ column }) => column)).toEqual([0, 3, 2, 1]);
});

test('a return address in another node leads there, as a jump does', () => {
  const { places, links } = layOutMap(
    draw(
      sampleGraph({
        Main: { A: { rows: [{ signal: 'SUCCESS', action: 'CALL:Helper:Next__A' }] } },
        Next: { A: { rows: [{ signal: 'SUCCESS', action: 'JUMP:Next__A' }] } },
        Helper: { A: { rows: [] } },
      }),
    ),
  );
  expect(links).toEqual([
    { from: 0, to: 2, kind: 'call' },
    { from: 0, to: 1, kind: 'jump' },
  ]);
  expect(places.map(({ column }) => column)).toEqual([0, 1, 1]);
});

test('without an entry no node is drawn as the start', () => {
  const sample = { Main: { A: { rows: [] } }, Other: { A: { rows: [] } } };
  expect(draw(sampleGraph(sample)).startKey).toBe('n0b0');
  expect(draw(sampleGraph(sample, { entry: null })).startKey).toBeNull();
});
