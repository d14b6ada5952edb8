import type { Command } from 'commander';
import type { ClashOptions } from '../commands/clash.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { example, type Perform } from './declaration.ts';

const collect = (value: string, before: readonly string[] | undefined): readonly string[] => [...(before ?? []), value];

/** Declares `clash`, which needs no project. */
export function declareClash(program: Command, io: CliIo, perform: Perform): void {
  program
    .command('clash')
    .argument('[names...]', 'Two worktrees, branches or commits to compare, or one to compare with all others')
    .description('Show which worktrees break each other, in any git repository')
    .option('--base <branch>', 'Branch that the work is merged into (default: the upstream, or the default branch)')
    .option('--branches <glob>', 'Also compare these branches, even without a worktree (repeatable)', collect)
    .option('--pull-requests', 'Also compare the open pull requests of origin, listed by gh or glab')
    .option('--prove', "Run the project's checker (tsc, go vet, cargo check, ...) on the merged files of each pair")
    .option('--limit <minutes>', 'Time limit of --prove (default: 10)')
    .option('--fail-on <verdict>', 'Exit with 1 on: conflict, clash or same-file (default: clash)')
    .option('--watch', 'Keep the answer current, and notify once of each new clash')
    .option('--json', 'Print one JSON document')
    .addHelpText(
      'after',
      `
Compares what each worktree has, committed or not. Needs no set-up and writes nothing into the repository;
no hook, filter or program of it runs, and nothing is fetched without --pull-requests. With --prove, the
checker runs on merged files in a temporary folder.

Exit code: 0 nothing found, 1 found, 2 not everything could be compared.
${example('robosmith clash', 'robosmith clash fix-nav feature/login', "robosmith clash --branches 'feature/*' --prove", 'robosmith clash --watch')}`,
    )
    .action((names: readonly string[], options: ClashOptions) =>
      perform(async () => (await import('../commands/clash.ts')).clash(names, options, io)),
    );
}
