import type { Command, Option } from 'commander';
import { commandOf } from './command-words.ts';
import { usageError } from './terminal/usage-error.ts';

/** Matches a word that looks like an option. A negative number, `-` alone and a text with blanks are values. */
const LIKE_AN_OPTION = /^-(?!\d*\.?\d+$)\S+$/;

/** Returns the options that may follow the words of the command, with those of its groups and subcommands. */
function optionsAround(command: Command): readonly Option[] {
  const above = (one: Command): readonly Option[] => [
    ...one.options,
    ...(one.parent === null ? [] : above(one.parent)),
  ];
  return [...above(command), ...command.commands.flatMap(({ options }) => options)];
}

function missingValue({ flags, long }: Option, next: string | undefined): Error {
  const needs = `The option ${flags} needs a value`;
  if (next === undefined) return usageError(`${needs}.`, []);
  const really = long === undefined ? '' : ` If "${next}" is the value, write ${long}=${next}.`;
  return usageError(`${needs}, but ${next} follows.${really}`, []);
}

/**
 * Refuses an option without its value, and a value for an option that has none. Commander takes any word as the value,
 * so that `--session --trust` would be a session named `--trust`.
 */
export function checkOptionValues(program: Command, argv: readonly string[]): void {
  const options = optionsAround(commandOf(program, argv));
  const named = (word: string): Option | undefined =>
    options.find(({ long, short }) => long === word || short === word);
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '--') return;
    const [flag = ''] = word.split('=');
    const option = named(word) ?? (word.startsWith('--') ? named(flag) : undefined);
    if (option === undefined) continue;
    if (!option.required && !option.optional && word !== flag)
      throw usageError(`The option ${flag} takes no value.`, []);
    if (!option.required || word !== flag) continue;
    at += 1;
    const value = argv[at];
    if (value === undefined || LIKE_AN_OPTION.test(value)) throw missingValue(option, value);
  }
}
