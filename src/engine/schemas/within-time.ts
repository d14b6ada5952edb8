import { createContext, Script } from 'node:vm';

const CALL = new Script('work()');

/**
 * Returns whether an error is the timeout of a script. The error comes from another VM context, so it is not an
 * instance of this context's `Error`.
 */
const isOfTime = (thrown: unknown): boolean =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown && thrown.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/** Calls `work`, and returns false if it was stopped after `timeout` milliseconds. Errors of `work` are rethrown. */
export function withinTime(timeout: number, work: () => void): boolean {
  try {
    CALL.runInContext(createContext({ work }), { timeout });
    return true;
  } catch (thrown) {
    if (isOfTime(thrown)) return false;
    throw thrown;
  }
}
