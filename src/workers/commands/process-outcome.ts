import { RoboSmithError } from '#protocol/error.ts';
import type { ProcessResult } from '#protocol/services.ts';

/** Maximum length, in characters, of a command in a message. A command with its arguments may be much longer. */
const LONGEST_COMMAND = 500;

/** Describes in one line how a process ended. */
export function describeEnd({ ended, exitCode, error, durationMs }: ProcessResult, argv: readonly string[]): string {
  const whole = argv.join(' ');
  const command = whole.length <= LONGEST_COMMAND ? whole : `${whole.slice(0, LONGEST_COMMAND - 1)}…`;
  switch (ended) {
    case 'exited':
      return `${command} exited with ${exitCode ?? 'no code'} after ${durationMs} ms`;
    case 'killed':
      return `${command} was killed${error === null ? '' : ` by ${error}`} after ${durationMs} ms`;
    case 'timed_out':
      return `${command} timed out after ${durationMs} ms`;
    case 'not_started':
      return `${command} did not start: ${error ?? 'unknown reason'}`;
  }
}

/** Throws `precondition_failed` if a process did not start: its execution has failed before it could change anything. */
export function checkStarted(result: ProcessResult, argv: readonly string[]): void {
  if (result.ended !== 'not_started') return;
  const [program = ''] = argv;
  throw new RoboSmithError('precondition_failed', `${describeEnd(result, argv)}.`, { program });
}
