import type { Command } from 'commander';
import type { CliIo } from '../terminal/cli-io.ts';
import type { StatusOptions } from '../commands/status.ts';
import type { WorktreesOptions } from '../commands/worktrees.ts';
import type { WorktreesCleanOptions } from '../commands/worktrees-clean.ts';
import { didYouMean } from '../names/nearest.ts';
import { usageError } from '../terminal/usage-error.ts';
import { example } from './example.ts';
import type { Perform } from './perform.ts';

const JSON_OUT = ['--json', 'print one JSON document'] as const;

/** How all sessions stand, and what they have left on the disk. */
export function declareWorktrees(program: Command, io: CliIo, perform: Perform): void {
  program
    .command('status')
    .description('how all sessions stand, what runs, what waits for you')
    .option('--watch', 'keep it on the screen, always as it is now; q ends it')
    .option('--disk', 'say what worktrees, runs and logs take of the disk')
    .option('--all', 'also sessions that are merged or discarded')
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith status', 'robosmith status --watch', 'robosmith status --disk --all'))
    .action((options: StatusOptions) =>
      perform(async () => (await import('../commands/status.ts')).status(options, io)),
    );
  const worktrees = program
    .command('worktrees')
    .description('what is odd about the worktrees of sessions; clean removes what is left over')
    .usage('[command] [options]')
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith worktrees', 'robosmith worktrees clean'))
    .allowExcessArguments()
    .action((options: WorktreesOptions) =>
      perform(async () => {
        const [word] = worktrees.args;
        if (word !== undefined)
          throw usageError(`"${word}" is no command of worktrees.${didYouMean(word, ['clean'])}`, [
            'robosmith worktrees --help',
          ]);
        return (await import('../commands/worktrees.ts')).worktrees(options, io);
      }),
    );
  worktrees
    .command('clean')
    .description('remove what is left over and would be missed by nobody; asks first')
    .option('--yes', 'do not ask')
    .option(...JSON_OUT)
    .addHelpText(
      'after',
      `
Goes: worktrees without a session that have no work in them, registrations of folders that are gone,
sessions of which nothing is left, and what was discarded more than 30 days ago, or was saved then before it
was written over, and is of no session that could need it. Work is never removed.
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
