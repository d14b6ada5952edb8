/** The execution state of a block, which decides which step may follow. It schedules nothing. */
export type BlockState = 'READY' | 'BUSY' | 'WAITING';

export type BlockStep = 'execute' | 'finish' | 'wait' | 'resume' | 'leave';

const NEXT: Readonly<Record<BlockState, Partial<Readonly<Record<BlockStep, BlockState>>>>> = {
  READY: { execute: 'BUSY', wait: 'WAITING' },
  BUSY: { finish: 'READY', wait: 'WAITING' },
  WAITING: { resume: 'READY', leave: 'READY' },
};

/** Returns the state after a step. Throws if the state does not allow the step, which is a bug in the engine. */
export function nextBlockState(state: BlockState, step: BlockStep): BlockState {
  const next = NEXT[state][step];
  if (next === undefined) throw new RangeError(`a block that is ${state} refuses "${step}"`);
  return next;
}
