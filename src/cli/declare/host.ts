import { type Command, Option } from 'commander';
import type { CliIo } from '../terminal/cli-io.ts';
import type { HostStartOptions, HostStopOptions } from '../commands/host.ts';
import { example } from './example.ts';
import type { Perform } from './perform.ts';

const JSON_OUT = ['--json', 'print one JSON document'] as const;

/** The engine as a process of its own. */
export function declareHost(program: Command, io: CliIo, perform: Perform): void {
  const host = program
    .command('host')
    .description('the process that runs the engine: runs go on in it, whoever comes and goes')
    .usage('<command> [options]')
    .addHelpText(
      'after',
      `\nIt starts by itself where it is needed: robosmith run --detach. While it lives, run and resume go there.\n${example('robosmith host start', 'robosmith host status', 'robosmith host stop')}`,
    );
  host
    .command('start')
    .description('start it, unless it runs')
    .option('--foreground', 'be the host, until Ctrl-C')
    .option('--idle <minutes>', 'end after so long without a run, a client or a wait (default: 10)')
    .option(...JSON_OUT)
    .addOption(new Option('--spawned').hideHelp())
    .addHelpText('after', example('robosmith host start', 'robosmith host start --foreground --idle 60'))
    .action((options: HostStartOptions) =>
      perform(async () => (await import('../commands/host.ts')).hostStart(options, io)),
    );
  host
    .command('stop')
    .description('stop it as soon as no run is under way')
    .option('--force', 'now; `robosmith resume` goes on with what was under way')
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith host stop', 'robosmith host stop --force'))
    .action((options: HostStopOptions) =>
      perform(async () => (await import('../commands/host.ts')).hostStop(options, io)),
    );
  host
    .command('status')
    .description('does it run, and what does it do?')
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith host status'))
    .action((options: { readonly json?: true }) =>
      perform(async () => (await import('../commands/host.ts')).hostStatus(options, io)),
    );
}
