export { executeAttempt } from './attempt.ts';
export { allowedAnswers } from './halts.ts';
export { startRun } from './run.actor.ts';
