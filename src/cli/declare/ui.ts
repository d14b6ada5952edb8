import type { Command } from 'commander';
import type { CliIo } from '../terminal/cli-io.ts';
import type { UiOptions } from '../commands/ui.ts';
import { example } from './example.ts';
import type { Perform } from './perform.ts';

export function declareUi(program: Command, io: CliIo, perform: Perform): void {
  program
    .command('ui')
    .description('show Mission Control in the browser: runs, sessions, and what waits for you')
    .option('--no-open', 'only print the address')
    .option('--port <number>', 'the port on 127.0.0.1 (default: one that is free)')
    .option('--trust', 'let this project run its commands, now and later')
    .option('--json', 'print one JSON document')
    .addHelpText('after', example('robosmith ui', 'robosmith ui --no-open'))
    .action((options: UiOptions) => perform(async () => (await import('../commands/ui.ts')).ui(options, io)));
}
