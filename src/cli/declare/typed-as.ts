import type { Command } from 'commander';

/** Options for the output of a command. Advice to type the command again leaves them out. */
const OUTPUT: ReadonlySet<string> = new Set(['json', 'jsonl', 'showPrompt', 'printPrompts']);

const wordsOf = (flag: string, value: unknown): readonly string[] => {
  if (value === true) return [flag];
  const text = String(value);
  // A value like this is read as another option if it is a word of its own.
  return text.startsWith('-') ? [`${flag}=${text}`] : [flag, text];
};

/** Returns the words of the command as it was typed, without the name of the program and without output options. */
export const typedAs = (command: Command): readonly string[] => [
  command.name(),
  ...command.args,
  ...command.options.flatMap((option) => {
    const name = option.attributeName();
    const value: unknown = command.getOptionValue(name);
    if (value === undefined || OUTPUT.has(name) || command.getOptionValueSource(name) !== 'cli') return [];
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return values.flatMap((one) => wordsOf(option.long ?? option.flags, one));
  }),
];
