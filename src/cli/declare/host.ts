import { type Command, Option } from 'commander';
import type { CliIo } from '../terminal/cli-io.ts';
import type { HostStartOptions, HostStopOptions } from '../commands/host.ts';
import { example, type Perform } from './declaration.ts';

const JSON_OUT = ['--json', 'Print one JSON document'] as const;

/** Declares the commands that control the engine host. */
export function declareHost(program: Command, io: CliIo, perform: Perform): void {
  const host = program
    .command('host')
    .description('Control the background engine that keeps runs alive')
    .usage('<command> [options]')
    .addHelpText(
      'after',
      `\n"robosmith run --detach" starts the host when needed. While it is running, run and resume use it.\n${example('robosmith host start', 'robosmith host status', 'robosmith host stop')}`,
    );
  host
    .command('start')
    .description('Start the engine host if it is not running')
    .option('--foreground', 'Run the host in this terminal until Ctrl-C')
    .option('--idle <minutes>', 'Stop after this many idle minutes: no run, no client, nothing scheduled (default: 10)')
    .option(...JSON_OUT)
    .addOption(new Option('--spawned').hideHelp())
    .addHelpText('after', example('robosmith host start', 'robosmith host start --foreground --idle 60'))
    .action((options: HostStartOptions) =>
      perform(async () => (await import('../commands/host.ts')).hostStart(options, io)),
    );
  host
    .command('stop')
    .description('Stop the engine host once no run is active')
    .option('--force', 'Stop now; `robosmith resume` continues the interrupted runs')
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith host stop', 'robosmith host stop --force'))
    .action((options: HostStopOptions) =>
      perform(async () => (await import('../commands/host.ts')).hostStop(options, io)),
    );
  host
    .command('status')
    .description('Show whether the engine host is running, and its runs')
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith host status'))
    .action((options: { readonly json?: true }) =>
      perform(async () => (await import('../commands/host.ts')).hostStatus(options, io)),
    );
}
