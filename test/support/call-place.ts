import type { CallPlace } from '#protocol/ai-service.ts';

/** A caller of a model for tests in which its identity is irrelevant. */
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
