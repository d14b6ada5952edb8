import type { Graph } from '#protocol/graph.ts';
import type { Start } from '#protocol/run.ts';
import { shellWord } from '#protocol/shell-word.ts';
import { usageError } from '../terminal/usage-error.ts';

/** Refuses a session for a manifest with `"isolation": "none"`. */
export function checkIsolation({ worktree }: Graph, start: Start): void {
  if (worktree['isolation'] !== 'none') return;
  throw usageError('The manifest has "isolation": "none", so its runs work in a directory and not in a session.', [
    `robosmith run ${shellWord('node' in start ? start.node : start.block)} --in .`,
  ]);
}
