import type { Command } from 'commander';
import type { CliIo } from '../terminal/cli-io.ts';
import type { InitOptions } from '../commands/init.ts';
import type { DoctorOptions } from '../commands/doctor.ts';
import type { RegistryCheckOptions } from '../commands/registry-check.ts';
import { example, type Perform } from './declaration.ts';
import { declareKeys } from './keys.ts';
import { TEMPLATE_LIST } from './template-list.gen.ts';

const templates = (): string => {
  const names = Object.entries(TEMPLATE_LIST);
  const width = Math.max(...names.map(([name]) => name.length));
  return `\nTemplates:\n${names.map(([name, about]) => `  ${name.padEnd(width)}  ${about}`).join('\n')}\n`;
};

export function declareSetUp(program: Command, io: CliIo, perform: Perform): void {
  program.commandsGroup('Set up:');
  program
    .command('init')
    .description('Create .flow/ and a starter workflow with scripted answers (existing files are kept)')
    .option('--template <name>', 'Start with a ready-made workflow instead')
    .option('--json', 'Print one JSON document')
    .addHelpText('after', `${templates()}${example('robosmith init', 'robosmith init --template fix-bug')}`)
    .action((options: InitOptions) => perform(async () => (await import('../commands/init.ts')).init(options, io)));
  program
    .command('doctor')
    .description("Check Node, git, the manifest, the project's commands, keys, trust and runs")
    .option('--manifest <file>', 'Manifest file (default: the nearest .vision/workflows.json)')
    .option('--fix', 'Repair what can be repaired by a command, after one question')
    .option('--yes', 'Repair without a question')
    .option('--json', 'Print one JSON document')
    .addHelpText(
      'after',
      `\nExit code: 0 all well or warnings only, 1 a check failed.\n${example('robosmith doctor', 'robosmith doctor --fix')}`,
    )
    .action((options: DoctorOptions) =>
      perform(async () => (await import('../commands/doctor.ts')).doctor(options, io)),
    );
  declareKeys(program, io, perform);
  declareRegistry(program, io, perform);
  declareDocs(program, io, perform);
  program
    .command('completion')
    .argument('<shell>', 'bash, zsh, fish or powershell; sessions, runs, nodes, blocks or pages prints those names')
    .description('Print a completion script for your shell')
    .addHelpText(
      'after',
      example(
        'robosmith completion bash > ~/.local/share/bash-completion/completions/robosmith',
        'robosmith completion zsh > "${fpath[1]}/_robosmith"',
        'robosmith completion fish > ~/.config/fish/completions/robosmith.fish',
        'robosmith completion powershell >> $PROFILE',
      ),
    )
    .action((shell: string) =>
      perform(async () => (await import('../commands/completion.ts')).completion(shell, program, io)),
    );
}

function declareDocs(program: Command, io: CliIo, perform: Perform): void {
  program
    .command('docs')
    .argument('[page]', 'Page to print (default: list the pages)')
    .description('Read the documents: tutorial, guides, cookbook, reference')
    .addHelpText('after', example('robosmith docs', 'robosmith docs worktrees'))
    .action((page: string | undefined) => perform(async () => (await import('../commands/docs.ts')).docs(page, io)));
}

function declareRegistry(program: Command, io: CliIo, perform: Perform): void {
  const registry = program
    .command('registry')
    .description('Inspect the workers of this project')
    .usage('<command> [options]')
    .addHelpText('after', example('robosmith registry check'));
  registry
    .command('check')
    .description('Load every worker in .flow/flow.registry.json and report which are broken')
    .option('--trust', 'Trust this project: allow its commands and modules to run, now and later')
    .option('--json', 'Print one JSON document')
    .addHelpText(
      'after',
      `\nExit code: 0 all are ready, 2 a worker is broken.\n${example('robosmith registry check', 'robosmith registry check --trust --json')}`,
    )
    .action((options: RegistryCheckOptions) =>
      perform(async () => (await import('../commands/registry-check.ts')).registryCheck(options, io)),
    );
}
