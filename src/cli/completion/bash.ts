import type { DescribedCommand } from './described-command.ts';

export const bashCompletion = (commands: readonly DescribedCommand[]): string => `# bash completion of robosmith
_robosmith() {
  local word="\${COMP_WORDS[COMP_CWORD]}" line="\${COMP_WORDS[*]:1:COMP_CWORD-1} "
  COMPREPLY=()
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
    ${fileFlags(commands).join('|')}) COMPREPLY=($(compgen -f -- "$word")); return ;;
  esac
  case "$line" in
${[...commands]
  .sort((a, b) => b.words.length - a.words.length)
  .map(
    ({ words, options }) =>
      `    "${words.join(' ')} "*) COMPREPLY=($(compgen -W "${[...followers(commands, words), ...options.map(({ flag }) => flag)].join(' ')}" -- "$word")) ;;`,
  )
  .join('\n')}
    *) COMPREPLY=($(compgen -W "${followers(commands, []).join(' ')} --help --version" -- "$word")) ;;
  esac
}
complete -o default -F _robosmith robosmith
`;

/** Returns the words that may follow these. */
const followers = (commands: readonly DescribedCommand[], words: readonly string[]): readonly string[] =>
  commands
    .filter((one) => one.words.length === words.length + 1 && words.every((word, index) => one.words[index] === word))
    .map((one) => one.words.at(-1) ?? '');

const fileFlags = (commands: readonly DescribedCommand[]): readonly string[] => [
  ...new Set(commands.flatMap(({ options }) => options.filter(({ takesFile }) => takesFile).map(({ flag }) => flag))),
];
