import { expect, test } from 'vitest';
import { type BlockState, type BlockStep, nextBlockState } from '#machines/run/block-state.ts';
import { verifies } from '../../../e2e/verifies.ts';

const STATES: readonly BlockState[] = ['READY', 'BUSY', 'WAITING'];
const STEPS: readonly BlockStep[] = ['execute', 'finish', 'wait', 'resume', 'leave'];

test('READY → BUSY → READY, or → WAITING until a person or a resume; everything else is refused', () => {
  verifies('engine.compile.block-guard', 'acceptance.block-state');
  const table = STATES.flatMap((state) =>
    STEPS.map((step) => {
      try {
        return `${state} ${step} ${nextBlockState(state, step)}`;
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(RangeError);
        return `${state} ${step} refused`;
      }
    }),
  );
  expect(table.filter((row) => !row.endsWith('refused'))).toEqual([
    'READY execute BUSY',
    'READY wait WAITING',
    'BUSY finish READY',
    'BUSY wait WAITING',
    'WAITING resume READY',
    'WAITING leave READY',
  ]);
});
