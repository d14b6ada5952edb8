import type { Command } from 'commander';
import type { CliIo } from '../cli-io.ts';
import type { InitOptions } from '../commands/init.ts';
import type { DoctorOptions } from '../commands/doctor.ts';
import type { Perform } from './perform.ts';
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
    .description("check Node, git, the manifest, the project's commands and trust")
    .option('--manifest <file>', 'the manifest (default: the nearest .vision/workflows.json)')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      `\nExit code: 0 all well or warnings only, 1 something fails.\n${example('robosmith doctor')}`,
    )
    .action((options: DoctorOptions) =>
      perform(async () => (await import('../commands/doctor.ts')).doctor(options, io)),
    );
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
