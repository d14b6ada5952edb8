import type { DescribedCommand } from './described-command.ts';

export const fishCompletion = (commands: readonly DescribedCommand[]): string =>
  `# fish completion of robosmith\n${commands.map((command) => lines(command).join('\n')).join('\n')}\n`;

const namesOf = (kind: string): string => `-a '(robosmith completion ${kind} 2>/dev/null)'`;

function lines({ words, description, options, names, choices: values }: DescribedCommand): readonly string[] {
  const name = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const position = before.length === 0 ? '__fish_use_subcommand' : seen(before);
  return [
    `complete -c robosmith ${before.length === 0 ? '' : '-f '}-n '${position}' -a ${name} -d '${quoted(description)}'`,
    ...(names === null ? [] : [`complete -c robosmith -f -n '${seen(words)}' ${namesOf(names)}`]),
    ...(values.length === 0 ? [] : [`complete -c robosmith -f -n '${seen(words)}' -a '${values.join(' ')}'`]),
    ...options.map(
      ({ flag, description: text, takesFile, takesValue, names: kind, choices }) =>
        `complete -c robosmith -n '${seen(words)}' -l ${flag.replace(/^--/, '')} -d '${quoted(text)}'${takesFile ? ' -r -F' : takesValue ? ' -x' : ''}${kind !== null ? ` ${namesOf(kind)}` : choices.length > 0 ? ` -a '${choices.join(' ')}'` : ''}`,
    ),
  ];
}

/** Returns a fish condition that each of the words has been typed. */
const seen = (words: readonly string[]): string =>
  words.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');

const quoted = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
