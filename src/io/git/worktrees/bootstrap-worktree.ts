import type { Processes } from '#protocol/services.ts';
import type { WorktreeRefusal } from '#protocol/worktree.ts';
import type { Git } from '../plumbing/git.ts';
import { realPath } from '../../files/real-path.ts';
import { type CarriedFile, type CarryHow, carryFiles } from './carry-files.ts';
import { refused } from './git-refusal.ts';
import { type Commands, type CommandsReason, runCommands } from './run-commands.ts';

/** The part of the manifest's `worktree` section that prepares a worktree. */
export interface Bootstrap extends Omit<Commands, 'commands'> {
  readonly copy: readonly string[];
  readonly link: readonly string[];
  readonly share: readonly string[];
  readonly setup: readonly (readonly string[])[];
}

/**
 * The result. `carried` lists the files to carry from the main worktree, and whether each was; `log` contains the
 * output of the commands.
 */
export type BootstrapResult = {
  readonly carried: readonly CarriedFile[];
  readonly log: string;
} & ({ readonly kind: 'ready' } | WorktreeRefusal<CommandsReason | 'carry_failed'>);

/** Returns the files to carry along, in the order in which that happens. */
export const carriedPatterns = ({ copy, link, share }: Pick<Bootstrap, 'copy' | 'link' | 'share'>) =>
  (
    [
      ['copy', copy],
      ['link', link],
      ['share', share],
    ] as const
  ).flatMap(([how, patterns]) => patterns.map((pattern): Named => ({ how, pattern })));

interface Named {
  readonly how: CarryHow;
  readonly pattern: string;
}

/**
 * Prepares a new worktree for use: copies, links or shares ignored files of the main worktree, then runs the `setup`
 * commands. A file that may not be carried along is only reported. An I/O error or a failed command is returned as a
 * refusal, and the caller then rolls back.
 */
export async function bootstrapWorktree(
  git: Git,
  processes: Processes,
  what: Bootstrap,
  signal: AbortSignal,
): Promise<BootstrapResult> {
  const [main, worktree] = [await realPath(what.main), await realPath(what.worktree)];
  const carried = await carryFiles(git, { main, worktree, patterns: carriedPatterns(what) });
  const failed = carried.find(({ outcome }) => outcome === 'io_failed');
  if (failed !== undefined) return { ...refused('carry_failed', failed.message), carried, log: '' };
  const { setup, ...more } = what;
  const run = await runCommands(processes, { ...more, main, worktree, commands: setup }, signal);
  return run.kind === 'done' ? { kind: 'ready', carried, log: run.log } : { ...run, carried };
}
