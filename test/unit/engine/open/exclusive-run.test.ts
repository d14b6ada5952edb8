import { expect, test } from 'vitest';
import { createExclusiveRuns } from '#engine/open/exclusive-run.ts';
import type { RunId } from '#protocol/id.ts';

const [run, other] = ['r1', 'r2'] as [RunId, RunId];

test('a run that is under way, or about to be cancelled, is in one hand; then it is free again, also when that failed', async () => {
  const held = new Set<RunId>();
  const ends = Promise.withResolvers<undefined>();
  const { checkFree, end } = createExclusiveRuns(
    (id) => held.has(id),
    () => ends.promise,
  );
  const first = end(run);
  await expect(end(run)).rejects.toMatchObject({ code: 'wrong_state' });
  expect(() => checkFree(run)).toThrow(`${run} is already running in this engine.`);
  expect(() => checkFree(other)).not.toThrow();
  ends.reject(new Error('ENOSPC'));
  await expect(first).rejects.toThrow('ENOSPC');
  expect(() => checkFree(run)).not.toThrow();
  held.add(run);
  await expect(end(run)).rejects.toMatchObject({ code: 'wrong_state' });
});
