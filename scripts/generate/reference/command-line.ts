import type { Command } from 'commander';
import { buildProgram } from '../../../src/cli/program.ts';
import type { CliIo, Screen } from '../../../src/cli/terminal/cli-io.ts';
import type { GeneratedFile } from '../generated-file.ts';
import { generatedPage, table } from './markdown.ts';

const silent: Screen = { isTerminal: false, columns: () => 100, write: () => undefined };

/**
 * A stand-in for the process environment that prints nothing: the command declarations are only read, never executed.
 */
const io: CliIo = {
  cwd: '.',
  env: {},
  platform: 'linux',
  nodeVersion: process.versions.node,
  interactive: false,
  stdout: silent,
  stderr: silent,
  readSecret: () => Promise.resolve(null),
  onInterrupt: () => () => undefined,
};

const visible = (command: Command): readonly Command[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== 'help');

/** Returns the help text that a command prints below its options: exit codes and examples. */
function textBelow(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  const [, below = ''] = /\n {2}-h, --help[^\n]*\n(?:\nGlobal options:[\s\S]*?\n\n)?([\s\S]*)$/.exec(text) ?? [];
  return below.trim();
}

function options(command: Command): string {
  const help = command.createHelp();
  const rows = help
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help')
    .map((option) => [`\`${option.flags}\``, help.optionDescription(option)]);
  return rows.length === 0 ? '' : `\n${table(['option', 'meaning'], rows)}\n`;
}

function words(command: Command): string {
  const rows = command.registeredArguments.map((one) => [`\`${one.name()}\``, one.description]);
  return rows.length === 0 ? '' : `\n${table(['argument', 'meaning'], rows)}\n`;
}

const usageOf = (command: Command, path: string): string =>
  [path, ...command.registeredArguments.map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`))].join(' ');

function section(command: Command, above: string, level: number): string {
  const path = `${above} ${command.name()}`;
  const below = textBelow(command);
  const own = [
    `${'#'.repeat(level)} ${path}`,
    `\`${usageOf(command, path)}\``,
    command.description(),
    words(command),
    options(command),
    below === '' ? '' : `\`\`\`text\n${below}\n\`\`\``,
  ];
  const parts = visible(command).map((one) => section(one, path, Math.min(level + 1, 4)));
  return [...own, ...parts].filter((part) => part !== '').join('\n\n');
}

/** Generates docs/reference/command-line.md from the declarations of the commands. */
export async function commandLineReference(): Promise<GeneratedFile> {
  const program = buildProgram(io, () => undefined);
  const body = [
    '# Command line',
    program.description(),
    options(program),
    ...visible(program).map((command) => section(command, 'robosmith', 2)),
  ].join('\n\n');
  return generatedPage('docs/reference/command-line.md', 'src/cli/declare/', body);
}
