import { EXIT_CODE, type Response } from '#protocol/response.ts';

/** Returns the exit code for a Response. An unknown start node counts as not started. */
export function exitCode({ reason, metadata }: Response): number {
  if (reason === null) return 0;
  return reason === 'unknown_node' && metadata.steps === 0 ? 2 : EXIT_CODE[reason];
}
