import { expect, test } from 'vitest';
import { draw } from '#compiler/export/drawing/drawing.ts';
import { sampleGraph } from './sample-graph.ts';

test('without an entry no node is drawn as the start', () => {
  const sample = { Main: { A: { rows: [] } }, Other: { A: { rows: [] } } };
  expect(draw(sampleGraph(sample)).startKey).toBe('n0b0');
  expect(draw(sampleGraph(sample, { entry: null })).startKey).toBeNull();
});
