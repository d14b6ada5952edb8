import type { ProcessResult } from '#protocol/services.ts';

/** The program and what it is about; its arguments may be of any length. */
const LONGEST_COMMAND = 500;

/** One line for people about how a process ended. */
export function describeEnd({ ended, exitCode, error, durationMs }: ProcessResult, argv: readonly string[]): string {
  const whole = argv.join(' ');
  const command = whole.length <= LONGEST_COMMAND ? whole : `${whole.slice(0, LONGEST_COMMAND - 1)}…`;
  switch (ended) {
    case 'exited':
      return `${command} exited with ${exitCode ?? 'no code'} after ${durationMs} ms`;
    case 'killed':
      return `${command} was killed after ${durationMs} ms`;
    case 'timed_out':
      return `${command} ran out of time after ${durationMs} ms`;
    case 'not_started':
      return `${command} did not start: ${error ?? 'unknown reason'}`;
  }
}
