import type { Command } from 'commander';
import type { FindOptions } from '../commands/find.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { example, type Perform } from './declaration.ts';

/** Declares `find`, which searches runs and calls. */
export function declareFind(program: Command, io: CliIo, perform: Perform): void {
  program
    .command('find')
    .argument('[text]', 'Whole words of a prompt, an answer, an error, or the input of a run')
    .description('Search the runs and model calls of this project')
    .option('--outcome <outcome>', 'Of a call: ok, failed or its failure; of a run: completed, failed or its reason')
    .option('--block <text>', 'Part of a block id')
    .option('--model <text>', 'Part of provider/model, or of the name of an agent')
    .option('--run <run>', 'Only this run and its calls')
    .option('--cost-above <usd>', 'Only what has cost more than this, in US dollars')
    .option('--since <age>', 'Only what began later than this: 12h, 7d, or a date such as 2026-11-30')
    .option('--limit <number>', 'Maximum number of results, newest first (default: 30)')
    .option('--json', 'Print one JSON document')
    .addHelpText(
      'after',
      `
The first search for a text reads every logged call, later ones only new calls.

Exit code: 0 found, 1 nothing found.
${example('robosmith find "connection reset" --since 7d', 'robosmith find --outcome failed --block Review', 'robosmith find --cost-above 0.50 --model claude')}`,
    )
    .action((text: string | undefined, options: FindOptions) =>
      perform(async () => (await import('../commands/find.ts')).find(text, options, io)),
    );
}
