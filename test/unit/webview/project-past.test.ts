import { expect, test } from 'vitest';
import type { Visit } from '../../../src/protocol/generated/view.gen.ts';
import { calledAt, callTimes } from '../../../webview-ui/src/model/call-times.ts';
import { projectPast } from '../../../webview-ui/src/model/project-past.ts';
import { runningWorkflow } from '../../webview/state-fixture.ts';

const { visits } = runningWorkflow();
const nodeOf = (block: string): string => block.split('__')[0] ?? '';

test('a step that has not finished can not be shown', () => {
  expect(projectPast(visits, 14, nodeOf)).toBeNull();
  expect(projectPast([], 1, nodeOf)).toBeNull();
});

test('the first step shows one complete block and the next one active', () => {
  const past = projectPast(visits, 1, nodeOf);
  expect(past?.blocks.map(({ block, status }) => [block, status])).toEqual([
    ['Feature_Implement__ReadTask', 'complete'],
    ['Feature_Implement__PlanChange', 'active'],
  ]);
  expect(past?.rows).toEqual([{ block: 'Feature_Implement__ReadTask', row: 0, count: 1, lastStep: 1 }]);
  expect(past?.totals).toMatchObject({ elapsedMs: 800, spending: { input: 3000, output: 700, microUsd: 20_000 } });
});

test('a step within a call shows the caller waiting for its callee', () => {
  const past = projectPast(visits, 9, nodeOf);
  expect(past?.frames.map(({ node, block, depth }) => [node, block, depth])).toEqual([
    ['Feature_Implement', 'Feature_Implement__WriteFiles', 0],
    ['Test_Fix', 'Test_Fix__ProposeFix', 1],
  ]);
  expect(past?.blocks.find(({ block }) => block.endsWith('WriteFiles'))).toMatchObject({
    status: 'active',
    waitsFor: ['Test_Fix'],
  });
  expect(past?.blocks.find(({ block }) => block.endsWith('RunTests'))).toMatchObject({ visits: 1, status: 'complete' });
});

/** Creates a visit as a host sends it. A visit that has called a node stays open until the callee returns. */
const visit = (step: number | null, more: Partial<Visit>): Visit => ({
  ...(visits[0] as Visit),
  step,
  calls: false,
  waits: [],
  to: null,
  status: 'active',
  ...more,
});

const calling: readonly Visit[] = [
  visit(1, { id: 'a', frame: '/', block: 'Main__Test', visit: 1, from: 0, calls: true }),
  visit(2, {
    id: 'b',
    frame: '/Main__Test#1',
    depth: 1,
    block: 'Fix__Analyse',
    visit: 1,
    from: 10,
    to: 30,
    status: 'complete',
  }),
  visit(3, {
    id: 'c',
    frame: '/Main__Test#1',
    depth: 1,
    block: 'Fix__Mend',
    visit: 1,
    from: 30,
    status: 'halted',
    waits: [{ from: 50, to: null }],
  }),
];

test('the step of an open caller is shown as it was when the call began', () => {
  const past = projectPast(calling, 1, nodeOf);
  expect(past?.at).toBe(10);
  expect(past?.blocks.map(({ block, status, waitsFor }) => [block, status, waitsFor])).toEqual([
    ['Main__Test', 'active', ['Fix']],
    ['Fix__Analyse', 'active', []],
  ]);
});

test('the step of a visit that halts is shown as halted', () => {
  const past = projectPast(calling, 3, nodeOf);
  expect(past?.at).toBe(50);
  expect(past?.blocks.map(({ block, status }) => [block, status])).toEqual([
    ['Main__Test', 'active'],
    ['Fix__Analyse', 'complete'],
    ['Fix__Mend', 'halted'],
  ]);
});

test('calls of branches and repetitions belong to the visit that made them', () => {
  const times = callTimes([
    visit(2, { frame: '/Main__Test#1[0]', from: 12 }),
    visit(3, { frame: '/Main__Test#1[1]', from: 11 }),
    visit(4, { frame: '/Main__Test#12', from: 90 }),
  ]);
  expect(calledAt(calling[0] as Visit, times)).toBe(11);
});
