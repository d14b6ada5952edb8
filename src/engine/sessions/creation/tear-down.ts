import { statIfThere } from '#io/files/durable-file.ts';
import { realPath } from '#io/files/real-path.ts';
import { removeLinks } from '#io/git/worktrees/carry-files.ts';
import { runCommands } from '#io/git/worktrees/run-commands.ts';
import { readWorktree } from '#machines/session/read-worktree.ts';
import type { Session } from '#protocol/session.ts';
import { mayTearDown } from '../../trust/check-trust.ts';
import { processesFor, type SessionPlaceParts } from '../model/session-place.ts';
import { manifestOf } from './manifest-of.ts';

/** The time limit of `teardown`, because a merge may be waiting for it. */
const TIMEOUT_MS = 300_000;

/**
 * Runs the manifest's `teardown` in a session's worktree before that is removed. Failures are only reported: the work
 * is already stored elsewhere.
 */
export async function tearDown(
  { id, worktree, job, ports }: Session,
  main: string,
  parts: Pick<SessionPlaceParts, 'processes' | 'processesOf' | 'root' | 'environment' | 'calls'>,
): Promise<readonly string[]> {
  const { root, environment, calls } = parts;
  if (worktree === null || statIfThere(calls, worktree) === null) return [];
  const found = await manifestOf(job, root);
  const graph = found.ok ? found.graph : null;
  const { teardown: commands, link } = readWorktree(graph?.worktree ?? {});
  if (graph === null || commands.length === 0) return [];
  if (!(await mayTearDown(graph, root, environment)))
    return [
      '"teardown" of its manifest was not run: the current version of the project is not trusted; --trust at the next merge allows it',
    ];
  // The links lead to files of the main checkout, which a command that clears the worktree would delete.
  const unlinked = await removeLinks(await realPath(main), worktree, link);
  const what = { worktree, main, ports, commands, timeoutMs: TIMEOUT_MS };
  const run = await runCommands(processesFor(parts, id), what, new AbortController().signal);
  const without = unlinked.length === 0 ? '' : ` (without the links ${unlinked.join(', ')}, which were removed first)`;
  return run.kind === 'done' ? [] : [`teardown${without}: ${run.message}`];
}
