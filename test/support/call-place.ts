import type { CallPlace } from '#protocol/ai-service.ts';

/** Who asks, where that doesn't matter. */
export const CALL_PLACE: CallPlace = {
  run: 'r1',
  session: null,
  task: null,
  node: 'Main',
  block: 'Main__Say',
  visit: 1,
  attempt: 1,
  step: 's',
};
