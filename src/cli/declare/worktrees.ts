import type { Command } from 'commander';
import type { CliIo } from '../terminal/cli-io.ts';
import type { StatusOptions } from '../commands/status.ts';
import type { WorktreesOptions } from '../commands/worktrees.ts';
import type { WorktreesCleanOptions } from '../commands/worktrees-clean.ts';
import { didYouMean } from '#protocol/nearest.ts';
import { usageError } from '../terminal/usage-error.ts';
import { declareClash } from './clash.ts';
import { example, type Perform } from './declaration.ts';
import { declareLand } from './land.ts';

const JSON_OUT = ['--json', 'Print one JSON document'] as const;

/** Declares `clash`, `land`, `status` and `worktrees`. */
export function declareWorktrees(program: Command, io: CliIo, perform: Perform): void {
  declareClash(program, io, perform);
  declareLand(program, io, perform);
  program
    .command('status')
    .description('Show all sessions, active runs and what is waiting for you')
    .option('--watch', 'Show the status as a console that answers, merges and shows diffs')
    .option('--disk', 'Show the disk usage of worktrees, runs and logs')
    .option('--all', 'Include sessions that are merged or discarded')
    .option(...JSON_OUT)
    .addHelpText(
      'after',
      `
With --watch, what waits for you comes first. Enter lists all actions of the selected session, d shows its
diff, p proceeds, x rejects, m merges, s opens a shell, ? shows all keys, q quits; runs continue. Nothing is
changed without a confirmation. If stdout is not a terminal, the status is printed once.
${example('robosmith status', 'robosmith status --watch', 'robosmith status --disk --all')}`,
    )
    .action((options: StatusOptions) =>
      perform(async () => (await import('../commands/status.ts')).status(options, io)),
    );
  const worktrees = program
    .command('worktrees')
    .description('Report problems of session worktrees; `clean` removes leftovers')
    .usage('[command] [options]')
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith worktrees', 'robosmith worktrees clean'))
    .allowExcessArguments()
    .action((options: WorktreesOptions) =>
      perform(async () => {
        const [word] = worktrees.args;
        if (word !== undefined)
          throw usageError(`"${word}" is not a command of worktrees.${didYouMean(word, ['clean'])}`, [
            'robosmith worktrees --help',
          ]);
        return (await import('../commands/worktrees.ts')).worktrees(options, io);
      }),
    );
  worktrees
    .command('clean')
    .description('Remove leftovers that hold no work; asks for confirmation')
    .option('--yes', 'Do not ask for confirmation')
    .option(...JSON_OUT)
    .addHelpText(
      'after',
      `
Removes worktrees that belong to no session and hold no work, git's entries for folders that are gone,
records of sessions of which nothing is left, and backups of work that was discarded or overwritten more than
30 days ago, unless a session may still need them. Current work is never removed.
${example('robosmith worktrees clean', 'robosmith worktrees clean --yes --json')}`,
    )
    .action((_options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/worktrees-clean.ts')).worktreesClean(
          command.optsWithGlobals<WorktreesCleanOptions>(),
          io,
        ),
      ),
    );
}
