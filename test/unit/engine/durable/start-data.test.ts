import { expect, test } from 'vitest';
import type { NodeId } from '#protocol/id.ts';
import { runOptions, startData } from '../../../../src/engine/durable/start-data.ts';

test('a run that is resumed keeps the limit of its agents', () => {
  const options = { start: { node: 'Main' as NodeId }, approvals: 'edit' } as const;
  expect(runOptions(startData(options), {})).toMatchObject(options);
  expect(startData({ start: options.start })).not.toHaveProperty('approvals');
});
