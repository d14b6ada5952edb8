import { expect, test } from 'vitest';
import { compareGraphs } from '#compiler/index.ts';
import { verifies } from '../../e2e/verifies.ts';
import { sampleGraph, type Sample } from './sample-graph.ts';

const BASE: Sample = {
  Main: {
    One: {
      rows: [
        { signal: 'SUCCESS', action: 'JUMP:Main__Two' },
        { signal: 'FAIL_DEFAULT', action: 'HALT_AND_FLAG' },
      ],
    },
    Two: { worker: 'Worker:X', rows: [{ signal: 'SUCCESS', action: 'CALL:Sub:Main__One' }] },
  },
  Sub: { Only: { rows: [{ signal: 'SUCCESS', action: 'JUMP:Sub__Only' }] } },
};

const base = sampleGraph(BASE);

test('a graph does not differ from itself', () => {
  expect(compareGraphs(base, sampleGraph(BASE))).toEqual([]);
});

test('the order of rows with different signals, and places in files, are no behaviour', () => {
  verifies('engine.diff.behaviour');
  const { One, Two } = BASE['Main'] ?? {};
  const moved = sampleGraph({
    ...BASE,
    Main: {
      One: { ...One, rows: [...(One?.rows ?? [])].reverse() },
      Two: { ...Two, rows: Two?.rows ?? [], origin: { file: 'b.json', line: 9, column: 9, pointer: '/x' } },
    },
  });
  expect(compareGraphs(base, moved)).toEqual([]);
});

test('the order of rows with the same signal is', () => {
  const rows = [
    { signal: 'SUCCESS', action: 'RETURN', condition: { id: 'visits.less_than', args: [2] } },
    { signal: 'SUCCESS', action: 'HALT_AND_FLAG' },
  ];
  expect(
    compareGraphs(sampleGraph({ N: { B: { rows } } }), sampleGraph({ N: { B: { rows: [...rows].reverse() } } })),
  ).toEqual([
    {
      change: 'changed',
      subject: 'block',
      id: 'N__B',
      field: 'SIGNAL:SUCCESS',
      before: ['RETURN if visits.less_than(2)', 'HALT_AND_FLAG'],
      after: ['HALT_AND_FLAG', 'RETURN if visits.less_than(2)'],
    },
  ]);
});

test('renamed nodes and blocks are found, also where others refer to them', () => {
  const renamed = sampleGraph({
    Main: {
      One: {
        rows: [
          { signal: 'SUCCESS', action: 'JUMP:Main__Second' },
          { signal: 'FAIL_DEFAULT', action: 'HALT_AND_FLAG' },
        ],
      },
      Second: { worker: 'Worker:X', rows: [{ signal: 'SUCCESS', action: 'CALL:Helper:Main__One' }] },
    },
    Helper: { Only: { rows: [{ signal: 'SUCCESS', action: 'JUMP:Helper__Only' }] } },
  });
  expect(compareGraphs(base, renamed)).toEqual([
    { change: 'renamed', subject: 'node', id: 'Sub', to: 'Helper' },
    { change: 'renamed', subject: 'block', id: 'Main__Two', to: 'Main__Second' },
    { change: 'renamed', subject: 'block', id: 'Sub__Only', to: 'Helper__Only' },
  ]);
});

test('a new block is one difference: its neighbour has none of its own', () => {
  const { One, Two } = BASE['Main'] ?? {};
  const grown = sampleGraph({
    ...BASE,
    Main: { One: One ?? { rows: [] }, New: { worker: 'Worker:Y', rows: [] }, Two: Two ?? { rows: [] } },
  });
  expect(compareGraphs(base, grown)).toEqual([{ change: 'added', subject: 'block', id: 'Main__New' }]);
  expect(compareGraphs(grown, base)).toEqual([{ change: 'removed', subject: 'block', id: 'Main__New' }]);
});

test('contracts, limits, workers, commands and entries count', () => {
  verifies('engine.diff.behaviour');
  const { One, Two } = BASE['Main'] ?? {};
  const changed = sampleGraph(
    {
      ...BASE,
      Main: {
        One: { ...One, rows: One?.rows ?? [], contract: 'Do it well.' },
        Two: { ...Two, rows: Two?.rows ?? [], worker: 'Worker:Z' },
      },
    },
    { limits: { maxRunSteps: 5, maxDepth: 256, maxParallel: 4 }, commands: { test: ['npm', 'test'] } },
  );
  expect(compareGraphs(base, changed)).toEqual([
    { change: 'changed', subject: 'manifest', id: 'manifest', field: 'max_run_steps', before: 10000, after: 5 },
    {
      change: 'changed',
      subject: 'manifest',
      id: 'manifest',
      field: 'command test',
      before: null,
      after: ['npm', 'test'],
    },
    { change: 'changed', subject: 'block', id: 'Main__One', field: 'contract', before: null, after: 'Do it well.' },
    { change: 'changed', subject: 'block', id: 'Main__Two', field: 'worker', before: 'Worker:X', after: 'Worker:Z' },
  ]);
});
