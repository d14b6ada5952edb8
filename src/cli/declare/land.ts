import type { Command } from 'commander';
import type { LandOptions } from '../commands/land.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { example, type Perform } from './declaration.ts';

/** Declares `land`. */
export function declareLand(program: Command, io: CliIo, perform: Perform): void {
  program
    .command('land')
    .argument('[names...]', 'Sessions, branches or worktrees, in the order of the landing')
    .description('Merge several branches as one act: tested together, once')
    .option('--all', 'Land every session that is ready, and every other worktree whose work is committed')
    .option('--plan', 'Show the order, conflicts and tests; change nothing')
    .option('--max-runs <n>', 'Maximum number of test runs (default: 20)')
    .option('--undo', 'Move the base back to where it was before the last landing')
    .option('--trust', 'Trust the manifest to run its tests, set-up and teardown for that, now and later')
    .option('--json', 'Print one JSON document')
    .addHelpText(
      'after',
      `
Merges the branches one after another beside your checkout and tests the result once. If that passes, the base
moves to it. If not, the branch that breaks it is found and comes back to you; the others land. Without names
it goes on with a landing that was interrupted.

Exit code: 0 everything landed, 1 something came back.
${example('robosmith land --all', 'robosmith land one two --plan', 'robosmith land --undo')}`,
    )
    .action((names: readonly string[], options: LandOptions) =>
      perform(async () => (await import('../commands/land.ts')).land(names, options, io)),
    );
}
