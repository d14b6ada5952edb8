import type { Command } from 'commander';

export interface DescribedOption {
  readonly flag: string;
  readonly description: string;
  readonly takesFile: boolean;
  readonly takesValue: boolean;
}

export interface DescribedCommand {
  /** The words as typed: `manifest show` is two. */
  readonly words: readonly string[];
  readonly description: string;
  readonly options: readonly DescribedOption[];
}

/** Returns all commands with their options, as declared for the parser. */
export const describeCommands = (program: Command): readonly DescribedCommand[] =>
  program.commands.flatMap((command) => describe(command, []));

function describe(command: Command, before: readonly string[]): readonly DescribedCommand[] {
  const words = [...before, command.name()];
  const own = {
    words,
    description: command.description(),
    options: [
      ...command.options.map((option) => ({
        flag: option.long ?? option.short ?? '',
        description: option.description,
        takesFile: /<(file|directory)>/.test(option.flags),
        takesValue: option.required,
      })),
      { flag: '--help', description: 'show help', takesFile: false, takesValue: false },
    ],
  };
  return [own, ...command.commands.flatMap((inner) => describe(inner, words))];
}
