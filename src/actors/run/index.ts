export { type Attempt, classInForce } from './attempt.ts';
export { executeAttempt } from './execute-within-limit.ts';
export { executeVisit } from './execute-visit.ts';
export { allowedAnswers, offeredAnswers } from './allowed-answers.ts';
export { createHalts, flagOf } from './halts.ts';
export { startRun } from './run.actor.ts';
export { withinCheckLimit } from './within-check-limit.ts';
