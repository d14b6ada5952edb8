export { type Attempt, executeAttempt } from './attempt.ts';
export { allowedAnswers } from './halts.ts';
export { type RunParts, startRun } from './run.actor.ts';
