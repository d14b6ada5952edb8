import { bootstrapWorktree } from '#io/git/worktrees/bootstrap-worktree.ts';
import { sessionEnvironment } from '#io/git/worktrees/run-commands.ts';
import { scratchesFolder, withScratch } from '#io/git/outcomes/temporary-worktree.ts';
import { lineOf, quietly } from '#io/git/plumbing/quiet-git.ts';
import { atOnce } from '#io/git/plumbing/serialise.ts';
import { readWorktree } from '#machines/session/read-worktree.ts';
import type { FoundClash } from '#protocol/semantic-clash.ts';
import type { Session } from '#protocol/session.ts';
import { mayRun } from '../../trust/check-trust.ts';
import { verifyingGraph } from '../../trust/what-verifies.ts';
import { repositoryOf } from '../outcomes/merge-work.ts';
import type { SessionPlaceParts } from '../model/session-place.ts';

export interface ProofRequest {
  readonly session: Session;
  readonly ours: string;
  readonly theirs: string;
  readonly clashes: readonly FoundClash[];
}

export type Judged = FoundClash & { readonly standing: 'likely' | 'proved' };

/** The time limit of the check in milliseconds, longer than any type check takes. */
const CHECK_MS = 900_000;

interface Checked {
  readonly isClean: boolean;
  readonly output: string;
}

/** Returns how many lines of a checker's output name a file. */
const mentions = ({ output }: Checked, file: string): number =>
  output.split('\n').filter((line) => line.includes(file)).length;

/**
 * Runs the manifest's own command `check` on the merged files of two sessions. If the check passes, no clash remains. A
 * clash is proved if the check reports more findings in the file of a use than on that branch alone. Returns null if
 * nothing can be checked: there is no such command, or the user has not trusted the manifest.
 */
export async function proveClashes(
  { session, ours, theirs, clashes }: ProofRequest,
  parts: SessionPlaceParts,
): Promise<readonly Judged[] | null> {
  const { git, processes, root, environment } = parts;
  const graph = await verifyingGraph(session, root);
  const argv = graph?.commands['check'];
  if (graph === null || argv === undefined || argv.length === 0) return null;
  if (!(await mayRun(graph, root, environment))) return null;
  const found = await repositoryOf(parts);
  if (!found.ok) return null;
  const { place, main } = found;
  const { copy, link, share, setup } = readWorktree(graph.worktree);
  const { signal } = new AbortController();

  const check = async (commit: string): Promise<Checked | null> => {
    const scratch = {
      repository: place,
      scratchFolder: scratchesFolder(place),
      commit,
      hasFiles: true,
      serialise: atOnce,
    };
    const checked = await withScratch(git, scratch, async (folder): Promise<Checked | null> => {
      const what = { main, worktree: folder, ports: null, copy, link, share, setup };
      const ready = await bootstrapWorktree(git, processes, what, signal);
      if (ready.kind === 'refused') return null;
      const env = sessionEnvironment({ worktree: folder, main, ports: null });
      const request = { argv: argv as readonly [string, ...string[]], cwd: folder, env, timeoutMs: CHECK_MS };
      const { ended, exitCode, output } = await processes.run(request, signal);
      return ended === 'exited' ? { isClean: exitCode === 0, output } : null;
    });
    return checked !== null && 'kind' in checked ? null : checked;
  };

  const tree = await git(place, ['merge-tree', '--write-tree', ours, theirs]);
  if (!tree.ok) return null;
  const [treeId = ''] = tree.out.split('\n');
  const merged = await quietly(git, place, ['commit-tree', treeId, '-p', ours, '-p', theirs, '-m', 'check']);
  const together = merged.ok ? await check(lineOf(merged)) : null;
  if (together === null) return null;
  if (together.isClean) return [];
  const alone = new Map<string, Checked | null>();
  const judged: Judged[] = [];
  for (const clash of clashes) {
    const branch = clash.changer === 'ours' ? theirs : ours;
    if (!alone.has(branch)) alone.set(branch, await check(branch));
    const before = alone.get(branch);
    const isProved =
      before !== null && before !== undefined && mentions(together, clash.use.file) > mentions(before, clash.use.file);
    judged.push({ ...clash, standing: isProved ? 'proved' : 'likely' });
  }
  return judged;
}
