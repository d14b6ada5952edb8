import type { Command } from 'commander';
import type { CliIo } from '../terminal/cli-io.ts';
import type { InitOptions } from '../commands/init.ts';
import type { DoctorOptions } from '../commands/doctor.ts';
import type { RegistryCheckOptions } from '../commands/registry-check.ts';
import type { Perform } from './perform.ts';
import { declareKeys } from './keys.ts';
import { example } from './example.ts';

export function declareSetUp(program: Command, io: CliIo, perform: Perform): void {
  program.commandsGroup('Set up:');
  program
    .command('init')
    .description('make .flow/, a starter manifest and its scripted answers here; overwrites nothing')
    .option('--json', 'print one JSON document')
    .addHelpText('after', example('robosmith init'))
    .action((options: InitOptions) => perform(async () => (await import('../commands/init.ts')).init(options, io)));
  program
    .command('doctor')
    .description("check Node, git, the manifest, the project's commands, keys, trust and runs")
    .option('--manifest <file>', 'the manifest (default: the nearest .vision/workflows.json)')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      `\nExit code: 0 all well or warnings only, 1 something fails.\n${example('robosmith doctor')}`,
    )
    .action((options: DoctorOptions) =>
      perform(async () => (await import('../commands/doctor.ts')).doctor(options, io)),
    );
  declareKeys(program, io, perform);
  declareRegistry(program, io, perform);
  program
    .command('completion')
    .argument('<shell>', 'bash, zsh or fish')
    .description('print a completion script for your shell')
    .addHelpText(
      'after',
      example(
        'robosmith completion bash > ~/.local/share/bash-completion/completions/robosmith',
        'robosmith completion zsh > "${fpath[1]}/_robosmith"',
        'robosmith completion fish > ~/.config/fish/completions/robosmith.fish',
      ),
    )
    .action((shell: string) =>
      perform(async () => (await import('../commands/completion.ts')).completion(shell, program, io)),
    );
}

function declareRegistry(program: Command, io: CliIo, perform: Perform): void {
  const registry = program
    .command('registry')
    .description('look at the workers of this project')
    .usage('<command> [options]')
    .addHelpText('after', example('robosmith registry check'));
  registry
    .command('check')
    .description('load every worker that .flow/flow.registry.json lists, and say which are broken')
    .option('--trust', 'let this project run its commands and modules, now and later')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      `\nExit code: 0 all are ready, 2 something is wrong.\n${example('robosmith registry check', 'robosmith registry check --trust --json')}`,
    )
    .action((options: RegistryCheckOptions) =>
      perform(async () => (await import('../commands/registry-check.ts')).registryCheck(options, io)),
    );
}
