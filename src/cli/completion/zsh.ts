import type { DescribedCommand, DescribedOption } from './described-command.ts';

export const zshCompletion = (commands: readonly DescribedCommand[]): string => `#compdef robosmith
# zsh completion of robosmith
_robosmith() {
  local -a commands
  commands=(
${commands
  .filter(({ words }) => words.length === 1)
  .map(({ words, description }) => `    '${words[0] ?? ''}:${quoted(description)}'`)
  .join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  case "\${words[2]}" in
${commands
  .filter(({ words }) => words.length === 1)
  .map(
    ({ words, options }) =>
      `    ${words[0] ?? ''})\n${innerWords(commands, words[0] ?? '')}      _arguments -s ${allOptions([
        ...options,
        ...innerOptions(commands, words[0] ?? ''),
      ])
        .map(argument)
        .join(' ')} '*:file:_files' ;;`,
  )
  .join('\n')}
  esac
}
compdef _robosmith robosmith
`;

/** Returns the commands of a group, which are offered before its options. */
function innerWords(commands: readonly DescribedCommand[], first: string): string {
  const inner = commands.filter(({ words }) => words.length > 1 && words[0] === first);
  if (inner.length === 0) return '';
  const list = inner.map(({ words, description }) => `'${words[1] ?? ''}:${quoted(description)}'`).join(' ');
  return `      if (( CURRENT == 3 )) && [[ "\${words[3]}" != -* ]]; then
        commands=(${list})
        _describe 'command' commands
        return
      fi
`;
}

/** Returns each flag of several commands once. */
const allOptions = (options: readonly DescribedOption[]): readonly DescribedOption[] => [
  ...new Map(options.map((option) => [option.flag, option] as const)).values(),
];

const innerOptions = (commands: readonly DescribedCommand[], first: string): readonly DescribedOption[] =>
  commands
    .filter(({ words }) => words.length > 1 && words[0] === first)
    .flatMap(({ options }) => options.filter(({ flag }) => flag !== '--help'));

const quoted = (text: string): string =>
  text.replaceAll("'", "'\\''").replace(/[[\]:]/g, (character) => `\\${character}`);

const argument = ({ flag, description, takesFile, takesValue }: DescribedOption): string =>
  `'${flag}[${quoted(description)}]${takesFile ? ':file:_files' : takesValue ? ':value:' : ''}'`;
