export { type Attempt, classInForce } from './attempt.ts';
export { executeAttempt } from './execute-attempt.ts';
export { executeVisit } from './execute-visit.ts';
export { allowedAnswers } from './allowed-answers.ts';
export { createHalts, flagOf } from './halts.ts';
export { startRun } from './run.actor.ts';
export { withinCheckLimit } from './within-check-limit.ts';
