import path from 'node:path';
import { type Argument, Command } from 'commander';
import { fitHelp, helpItem, helpWidth } from './print/help-text.ts';
import type { CliIo } from './terminal/cli-io.ts';
import { declareAuthoring } from './declare/authoring.ts';
import { declareLoom } from './declare/loom.ts';
import type { Perform } from './declare/perform.ts';
import { declareRunning } from './declare/running.ts';
import { declareSessions } from './declare/sessions.ts';
import { declareWorktrees } from './declare/worktrees.ts';
import { declareSetUp } from './declare/set-up.ts';
import { declareTasks } from './declare/tasks.ts';
import { inDirectory } from './terminal/in-directory.ts';

/** Resolves `-C` relative to a preceding `-C`. There can be two, because suggested commands begin with one. */
const inside = (directory: string, before: string | undefined): string =>
  before === undefined || path.isAbsolute(directory) ? directory : path.join(before, directory);

const argumentTerm = (one: Argument): string =>
  one.variadic && !one.required ? `[${one.name()}...]` : `<${one.name()}>`;

/** Declares all commands with their options and help. Their modules are loaded when they run. */
export function buildProgram(process: CliIo, ended: (code: number) => void): Command {
  const perform: Perform = async (work) => ended(await work());
  const program = new Command('robosmith');
  const io = inDirectory(process, () => placeOf(program));
  program
    .description('Runs AI-coding work from a declarative manifest, .vision/workflows.json.')
    .usage('<command> [options]')
    .option('-V, --version', 'Print the version')
    .option('-C <directory>', 'Run as if started in this directory', inside)
    .option('--debug', 'Show stack traces')
    .helpOption('-h, --help', 'Show help')
    .addHelpCommand(
      new Command('help')
        .argument('[command]')
        .helpOption(false)
        .description('Show help for a command')
        .helpGroup('Set up:'),
    )
    .configureHelp({
      minWidthToWrap: 10,
      formatItem: helpItem,
      subcommandTerm: (command) => [command.name(), ...command.registeredArguments.map(argumentTerm)].join(' '),
    })
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(fitHelp(text, io.stdout, io)),
      writeErr: (text) => io.stderr.write(fitHelp(text, io.stderr, io)),
      outputError: () => undefined,
      getOutHelpWidth: () => helpWidth(io.stdout),
      getErrHelpWidth: () => helpWidth(io.stderr),
    });
  declareSetUp(program, io, perform);
  declareAuthoring(program, io, perform);
  declareRunning(program, io, perform);
  declareSessions(program, io, perform);
  declareWorktrees(program, io, perform);
  declareLoom(program, io, perform);
  declareTasks(program, io, perform);
  refuseExcess(program);
  return program.addHelpText('after', '\nStart with:\n  robosmith init\n\nHelp for a command:\n  robosmith run --help');
}

/** This command reports excess arguments itself, because such an argument may be a key that must not be printed. */
const SAYS_ITSELF = 'keys add';

/**
 * Makes subcommands refuse excess arguments. Command groups accept them, because they parse them themselves, and
 * subcommands would inherit that setting.
 */
function refuseExcess({ commands }: Command): void {
  for (const group of commands)
    for (const command of group.commands)
      if (`${group.name()} ${command.name()}` !== SAYS_ITSELF) command.allowExcessArguments(false);
}

/** Returns the folder given with `-C`. */
export const placeOf = (program: Command): string | undefined => program.getOptionValue('C') as string | undefined;
