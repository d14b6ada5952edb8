import type { Command } from 'commander';
import { didYouMean } from '#protocol/nearest.ts';
import { usageError } from './terminal/usage-error.ts';

const child = (command: Command, word: string): Command | undefined =>
  command.commands.find((one) => one.name() === word);

/** Returns the index of the command's first word, after `-C <directory>` and other global options. */
function firstWord(argv: readonly string[]): number {
  let at = 0;
  while (argv[at]?.startsWith('-') === true) at += argv[at] === '-C' ? 2 : 1;
  return at;
}

/** Returns the command that the words select. The search ends at the first word that is not a command. */
export function commandOf(program: Command, argv: readonly string[]): Command {
  let command = program;
  for (const word of argv.slice(firstWord(argv))) {
    const next = child(command, word);
    if (next === undefined) break;
    command = next;
  }
  return command;
}

const nameOf = (command: Command): string =>
  command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;

export const helpOf = (command: Command): string => `${nameOf(command)} --help`;

/** The word of `help all`, and the name of the program's value by which its help lists every command. */
export const ALL_COMMANDS = 'all';

/**
 * Turns `help runs fork` into `runs fork --help`. Commander's own help command takes one word only, and ignores unknown
 * ones.
 */
export function withoutHelpWord(program: Command, argv: readonly string[]): readonly string[] {
  const from = firstWord(argv);
  const at = argv.indexOf('help', from);
  const before = argv.slice(from, Math.max(from, at));
  const group = commandOf(program, before);
  if (at === -1 || group.commands.length === 0 || before.some((word) => word.startsWith('-'))) return argv;
  if (nameOf(group).split(' ').length !== before.length + 1) return argv;
  const words = argv.slice(at + 1).filter((word) => !word.startsWith('-'));
  if (group === program && words.length === 1 && words[0] === ALL_COMMANDS) {
    program.setOptionValue(ALL_COMMANDS, true);
    return [...argv.slice(0, at), '--help'];
  }
  checkWords(group, words);
  return [...argv.slice(0, at), ...words, '--help'];
}

function checkWords(group: Command, words: readonly string[]): void {
  let command = group;
  for (const word of words) {
    const next = child(command, word);
    if (next === undefined) {
      const known = command.commands.map((one) => one.name());
      const whose = command.parent === null ? 'robosmith' : nameOf(command).slice('robosmith '.length);
      throw usageError(`"${word}" is not a command of ${whose}.${didYouMean(word, known)}`, [helpOf(command)]);
    }
    command = next;
  }
}
