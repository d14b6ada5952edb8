import { statIfThere } from '#io/files/durable-file.ts';
import { runCommands } from '#io/git/worktrees/run-commands.ts';
import { readWorktree } from '#machines/session/read-worktree.ts';
import type { Session } from '#protocol/session.ts';
import { mayRun } from '../../trust/check-trust.ts';
import type { SessionPlaceParts } from '../model/session-place.ts';
import { manifestOf } from './manifest-of.ts';

/** The time limit of `teardown`, because a merge may be waiting for it. */
const TIMEOUT_MS = 300_000;

/**
 * Runs the manifest's `teardown` in a session's worktree before that is removed. Failures are only reported: the work
 * is already stored elsewhere.
 */
export async function tearDown(
  { worktree, job, ports }: Session,
  main: string,
  { processes, root, environment, calls }: Pick<SessionPlaceParts, 'processes' | 'root' | 'environment' | 'calls'>,
): Promise<readonly string[]> {
  if (worktree === null || statIfThere(calls, worktree) === null) return [];
  const found = await manifestOf(job, root);
  const graph = found.ok ? found.graph : null;
  const commands = graph === null ? [] : readWorktree(graph.worktree).teardown;
  if (graph === null || commands.length === 0) return [];
  if (!(await mayRun(graph, root, environment)))
    return ['"teardown" of its manifest was not run: the current version of the project is not trusted'];
  const what = { worktree, main, ports, commands, timeoutMs: TIMEOUT_MS };
  const run = await runCommands(processes, what, new AbortController().signal);
  return run.kind === 'done' ? [] : [`teardown: ${run.message}`];
}
