import { detectCommands } from '#io/project/project-commands.ts';
import { jobInTurn } from '#logic/queue/job-in-turn.ts';
import type { Graph } from '#protocol/graph.ts';
import type { Session } from '#protocol/session.ts';
import { manifestFileOf } from '../manifest/file-of-job.ts';
import { loadManifest } from '../manifest/load-manifest.ts';
import type { Executable } from './executable.ts';
import { commandNamed, setUpCommands } from './list-executables.ts';

/**
 * Returns the manifest whose command verifies a session's merge: that of its job, or the project's; null if there is
 * none without errors.
 */
export async function verifyingGraph(session: Pick<Session, 'job' | 'resolving'>, root: string): Promise<Graph | null> {
  const file = await manifestFileOf(jobInTurn(session), root);
  const loaded = file === null ? null : await loadManifest(file, { root });
  return loaded?.compilation.workflow?.graph ?? null;
}

const areSame = (one: readonly string[], other: readonly string[] | undefined): boolean =>
  other !== undefined && one.length === other.length && one.every((part, index) => part === other[index]);

/**
 * Lists the manifest's own commands that `merge --verify` starts: the command "test" and the set-up of a worktree. A
 * user who asks for the verification agrees to the project's ordinary tests, such as `npm test`; otherwise these are
 * listed too.
 */
export async function listVerifyingCommands(
  graph: Graph,
  root: string,
  isAsked: boolean,
): Promise<readonly Executable[]> {
  const { test } = graph.commands;
  const isOwn = test !== undefined && !(isAsked && areSame(test, (await detectCommands(root))['test']));
  return [...(isOwn ? [commandNamed('test', test)] : []), ...setUpCommands(graph)];
}
