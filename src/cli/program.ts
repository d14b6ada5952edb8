import path from 'node:path';
import { statSync } from 'node:fs';
import { type Argument, Command, Help } from 'commander';
import { fitHelp, helpItem, helpWidth } from './print/help-text.ts';
import type { CliIo } from './terminal/cli-io.ts';
import { shortHelp } from './print/short-help.ts';
import { declareAuthoring } from './declare/authoring.ts';
import { declareDo } from './declare/do.ts';
import { declareLoom } from './declare/loom.ts';
import type { Perform } from './declare/declaration.ts';
import { declareRunning } from './declare/running.ts';
import { declareSessions } from './declare/sessions.ts';
import { declareWorktrees } from './declare/worktrees.ts';
import { declareSetUp } from './declare/set-up.ts';
import { declareTasks } from './declare/tasks.ts';
import { ALL_COMMANDS } from './command-words.ts';
import { usageError } from './terminal/usage-error.ts';

/** Returns the process environment with the directory given by `-C` as the current directory. */
function inDirectory(io: CliIo, given: () => string | undefined): CliIo {
  const directory = (name: string): string => {
    const found = path.resolve(io.cwd, name);
    if (statSync(found, { throwIfNoEntry: false })?.isDirectory() === true) return found;
    throw usageError(`${name} is not a directory.`, ['robosmith --help']);
  };
  return Object.create(io, {
    cwd: {
      get: () => {
        const name = given();
        return name === undefined ? io.cwd : directory(name);
      },
    },
    place: { get: given },
  }) as CliIo;
}

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
        .argument('[command]', 'Command, or "all" for every command')
        .helpOption(false)
        .description('Show help for a command, or all commands')
        .helpGroup('Set up:'),
    )
    .configureHelp({
      minWidthToWrap: 10,
      formatItem: helpItem,
      formatHelp: (command, helper) =>
        command === program && program.getOptionValue(ALL_COMMANDS) !== true
          ? shortHelp(program, io)
          : Help.prototype.formatHelp.call(helper, command, helper),
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
  program.commandsGroup('First:');
  declareDo(program, io, perform);
  declareSetUp(program, io, perform);
  declareAuthoring(program, io, perform);
  declareRunning(program, io, perform);
  declareSessions(program, io, perform);
  declareWorktrees(program, io, perform);
  declareLoom(program, io, perform);
  declareTasks(program, io, perform);
  refuseExcess(program);
  return program;
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
