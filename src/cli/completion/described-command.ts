import type { Command } from 'commander';
import { TEMPLATES } from '#engine/authoring.ts';

/** The kinds of names that a shell requests for completion with `robosmith completion <kind>`. */
export const NAME_KINDS = ['sessions', 'runs', 'nodes', 'blocks', 'pages'] as const;

export type NameKind = (typeof NAME_KINDS)[number];

export interface DescribedOption {
  readonly flag: string;
  readonly description: string;
  readonly takesFile: boolean;
  readonly takesValue: boolean;
  /** The kind of names that complete the option's value; null if its value is not such a name. */
  readonly names: NameKind | null;
  /** The possible values, if they are few. */
  readonly choices: readonly string[];
}

export interface DescribedCommand {
  /** The words of the command as typed; `manifest show` has two. */
  readonly words: readonly string[];
  readonly description: string;
  readonly options: readonly DescribedOption[];
  /** The kind of names that complete the first argument; null if its value is not such a name. */
  readonly names: NameKind | null;
  /** The possible values of an argument, if they are few. No command has two such arguments. */
  readonly choices: readonly string[];
}

const KINDS: Readonly<Record<string, NameKind>> = {
  session: 'sessions',
  run: 'runs',
  node: 'nodes',
  'node or block': 'nodes',
  block: 'blocks',
  page: 'pages',
};

/** Returns all commands with their options, as declared for the parser. */
export const describeCommands = (program: Command): readonly DescribedCommand[] =>
  program.commands.flatMap((command) => describe(command, []));

/** Matches the end of a description that lists the values: `Output format: mermaid, dot or html`. */
const LISTED = /(?:: |^Group by |^)((?:[a-z-]+, )*[a-z-]+ or [a-z-]+)$/;

/** Returns the values in a description, which may have remarks in parentheses and a second sentence after `;`. */
function choicesIn(description: string): readonly string[] {
  const [, list] = LISTED.exec(description.replace(/;.*$/, '').replaceAll(/ \([^)]*\)/g, '')) ?? [];
  return list?.split(/, | or /) ?? [];
}

/** Options whose values are listed elsewhere. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  '--template <name>': Object.keys(TEMPLATES),
  '--desktop <on|off>': ['on', 'off'],
  '--manifest <new>': ['new'],
};

function optionOf({ long, short, flags, description, required }: Command['options'][number]): DescribedOption {
  const flag = long ?? short ?? '';
  const [, value = ''] = /[<[]([^>\]]+)[>\]]/.exec(flags) ?? [];
  return {
    flag,
    description,
    takesFile: /<(file|directory|folder)>/.test(flags),
    takesValue: required,
    names: flag === '--session' ? 'sessions' : (KINDS[value] ?? null),
    choices: CHOICES[flags] ?? (required ? choicesIn(description) : []),
  };
}

const HELP: DescribedOption = {
  flag: '--help',
  description: 'show help',
  takesFile: false,
  takesValue: false,
  names: null,
  choices: [],
};

function describe(command: Command, before: readonly string[]): readonly DescribedCommand[] {
  const words = [...before, command.name()];
  const [first] = command.registeredArguments;
  const own = {
    words,
    description: command.description(),
    options: [...command.options.map(optionOf), HELP],
    names: first === undefined ? null : (KINDS[first.name()] ?? null),
    choices: command.registeredArguments.flatMap(({ description }) => choicesIn(description)),
  };
  return [own, ...command.commands.flatMap((inner) => describe(inner, words))];
}

/** Returns the subcommands that may follow these words. */
export const followers = (commands: readonly DescribedCommand[], words: readonly string[]): readonly string[] =>
  commands
    .filter((one) => one.words.length === words.length + 1 && words.every((word, index) => one.words[index] === word))
    .map((one) => one.words.at(-1) ?? '');
