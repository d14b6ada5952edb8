import { expect, test } from 'vitest';
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
