import { createContext, Script } from 'node:vm';

const CALL = new Script('work()');

/** It comes from the other context, so it is no `Error` of this one. */
const isOfTime = (thrown: unknown): boolean =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown && thrown.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/** Does this work, and returns false when it was broken off after so many milliseconds. Whatever it throws is thrown. */
export function withinTime(timeout: number, work: () => void): boolean {
  try {
    CALL.runInContext(createContext({ work }), { timeout });
    return true;
  } catch (thrown) {
    if (isOfTime(thrown)) return false;
    throw thrown;
  }
}
