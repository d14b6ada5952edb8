import type { Command } from 'commander';
import type { CliIo } from '../terminal/cli-io.ts';
import type { UiOptions } from '../commands/ui.ts';
import { example } from './example.ts';
import type { Perform } from './perform.ts';

export function declareUi(program: Command, io: CliIo, perform: Perform): void {
  program
    .command('ui')
    .description('Open Mission Control in the browser: runs, sessions, and what is waiting for you')
    .option('--no-open', 'Print the URL without opening a browser')
    .option('--port <number>', 'Port on 127.0.0.1 (default: any free port)')
    .option('--trust', 'Trust this project: allow its commands to run, now and later')
    .option('--json', 'Print one JSON document')
    .addHelpText('after', example('robosmith ui', 'robosmith ui --no-open'))
    .action((options: UiOptions) => perform(async () => (await import('../commands/ui.ts')).ui(options, io)));
}
