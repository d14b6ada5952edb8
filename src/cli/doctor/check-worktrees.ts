import { RoboSmithError } from '#protocol/error.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { shownPath } from '../names/shown-path.ts';
import { repositoryAbove } from '../project/in-project.ts';
import { fail, ok, warn } from './check.ts';
import type { Check } from '../print/json-documents.ts';

/**
 * Checks that the project is the top of its repository: in a worktree, paths of a manifest in a subfolder would name
 * other files.
 */
export async function checkPlace(root: string | null, io: CliIo): Promise<readonly Check[]> {
  const top = root === null ? null : await repositoryAbove(root);
  if (top === null) return [];
  const what = `the project is a folder of a repository: sessions work at the top of that, ${shownPath(top, io)}`;
  return [warn('worktrees', what, 'Work here with `robosmith run --in .`, or type `robosmith init` at the top.')];
}

/**
 * Checks the sessions' worktrees for problems and leftovers. Returns nothing if git can't be used, which another check
 * reports.
 */
export async function checkWorktrees(root: string | null): Promise<readonly Check[]> {
  if (root === null) return [];
  const { projectStatus } = await import('#engine/index.ts');
  try {
    const { findings, sessions } = await projectStatus(root);
    if (findings === null) return [];
    const count = `${sessions.length} ${sessions.length === 1 ? 'session' : 'sessions'}`;
    if (findings === 0) return [ok('worktrees', `${count}, no worktree has problems`)];
    const what = `${findings} ${findings === 1 ? 'worktree has' : 'worktrees have'} problems`;
    return [
      warn(
        'worktrees',
        what,
        'Type `robosmith worktrees`: it lists what can be removed, and what is kept and why.',
        'worktrees clean --yes',
      ),
    ];
  } catch (thrown) {
    if (!RoboSmithError.is(thrown, 'corrupt_state')) throw thrown;
    return [fail('worktrees', `the list of sessions is damaged: ${thrown.message}`, 'Restore the file from a backup.')];
  }
}
