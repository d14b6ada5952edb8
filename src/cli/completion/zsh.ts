import type { DescribedCommand, DescribedOption } from './described-command.ts';

export const zshCompletion = (commands: readonly DescribedCommand[]): string => `#compdef robosmith
# zsh completion of robosmith
_robosmith_names() {
  local -a names
  names=(\${(f)"$(robosmith completion $1 2>/dev/null)"})
  compadd -a names
}
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
        .join(' ')} ${restOf(commands, words[0] ?? '')} ;;`,
  )
  .join('\n')}
  esac
}
# As an autoloaded function this file is its own first call; otherwise a shell reads it with source.
if [ "$funcstack[1]" = _robosmith ]; then
  _robosmith "$@"
else
  compdef _robosmith robosmith
fi
`;

/**
 * Returns the zsh code that completes arguments: with names of the project if a command of the group accepts names,
 * otherwise with files.
 */
function restOf(commands: readonly DescribedCommand[], first: string): string {
  const own = commands.find(({ words, choices }) => words.length === 1 && words[0] === first && choices.length > 0);
  if (own !== undefined) return `'1:value:(${own.choices.join(' ')})'`;
  const kind = commands.find(({ words, names }) => words[0] === first && names !== null)?.names ?? null;
  return kind === null ? `'*:file:_files'` : `'*:${kind}:_robosmith_names ${kind}'`;
}

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

/** Removes options whose flag occurs in several commands, so that each flag is listed once. */
const allOptions = (options: readonly DescribedOption[]): readonly DescribedOption[] => [
  ...new Map(options.map((option) => [option.flag, option] as const)).values(),
];

const innerOptions = (commands: readonly DescribedCommand[], first: string): readonly DescribedOption[] =>
  commands
    .filter(({ words }) => words.length > 1 && words[0] === first)
    .flatMap(({ options }) => options.filter(({ flag }) => flag !== '--help'));

const quoted = (text: string): string =>
  text.replaceAll("'", "'\\''").replace(/[[\]:]/g, (character) => `\\${character}`);

function valueOf({ takesFile, takesValue, names, choices }: DescribedOption): string {
  if (takesFile) return ':file:_files';
  if (names !== null) return `:${names}:_robosmith_names ${names}`;
  if (choices.length > 0) return `:value:(${choices.join(' ')})`;
  return takesValue ? ':value:' : '';
}

const argument = (option: DescribedOption): string =>
  `'${option.flag}[${quoted(option.description)}]${valueOf(option)}'`;
