import { EXIT_CODE, type Response } from '#protocol/response.ts';

/** spec/engine.md "A run": an unknown node at the start means that nothing was executed. */
export function exitCode({ reason, metadata }: Response): number {
  if (reason === null) return 0;
  return reason === 'unknown_node' && metadata.steps === 0 ? 2 : EXIT_CODE[reason];
}
