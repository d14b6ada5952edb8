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
      `    ${words[0] ?? ''})\n      _arguments -s ${[...options, ...innerOptions(commands, words[0] ?? '')].map(argument).join(' ')} '*:file:_files' ;;`,
  )
  .join('\n')}
  esac
}
compdef _robosmith robosmith
`;

const innerOptions = (commands: readonly DescribedCommand[], first: string): readonly DescribedOption[] =>
  commands
    .filter(({ words }) => words.length > 1 && words[0] === first)
    .flatMap(({ options }) => options.filter(({ flag }) => flag !== '--help'));

const quoted = (text: string): string =>
  text.replaceAll("'", "'\\''").replace(/[[\]:]/g, (character) => `\\${character}`);

const argument = ({ flag, description, takesFile, takesValue }: DescribedOption): string =>
  `'${flag}[${quoted(description)}]${takesFile ? ':file:_files' : takesValue ? ':value:' : ''}'`;
