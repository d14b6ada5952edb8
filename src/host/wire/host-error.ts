import { RoboSmithError } from '#protocol/error.ts';
import { messageOf } from '#protocol/message-of.ts';

/**
 * Returns the error that a client receives. Errors of the operating system come from writes to the state: the disk is
 * full or read-only, or access is denied.
 */
export function hostError(thrown: unknown): RoboSmithError {
  if (RoboSmithError.is(thrown)) return thrown;
  if (thrown instanceof Error && 'syscall' in thrown)
    return new RoboSmithError('state_not_saved', `The state in .flow can't be written: ${thrown.message}`, {}, thrown);
  return new RoboSmithError('bug', messageOf(thrown), {}, thrown);
}
