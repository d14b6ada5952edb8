import { type DescribedCommand, type DescribedOption, followers } from './described-command.ts';

export const bashCompletion = (commands: readonly DescribedCommand[]): string => `# bash completion of robosmith
_robosmith_names() {
  robosmith completion "$1" 2>/dev/null
}
_robosmith() {
  local word="\${COMP_WORDS[COMP_CWORD]}" line="\${COMP_WORDS[*]:1:COMP_CWORD-1} "
  COMPREPLY=()
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
    ${flagsOf(commands, ({ takesFile }) => takesFile).join('|')}) COMPREPLY=($(compgen -f -- "$word")); return ;;
${valueCases(commands).join('\n')}
  esac
  case "$line" in
${[...commands]
  .sort((a, b) => b.words.length - a.words.length)
  .map((command) => `    "${command.words.join(' ')} "*) ${replyOf(command, commands)} ;;`)
  .join('\n')}
    *) COMPREPLY=($(compgen -W "${followers(commands, []).join(' ')} --help --version" -- "$word")) ;;
  esac
}
complete -o default -F _robosmith robosmith
`;

/**
 * Returns the shell code that completes the arguments of a command. Names are looked up only if the current word does
 * not begin like a flag.
 */
function replyOf({ words, options, names }: DescribedCommand, commands: readonly DescribedCommand[]): string {
  const own = [...followers(commands, words), ...options.map(({ flag }) => flag)].join(' ');
  const found = names === null ? '' : ` $([[ "$word" == -* ]] || _robosmith_names ${names})`;
  return `COMPREPLY=($(compgen -W "${own}${found}" -- "$word"))`;
}

/** Returns the shell `case` branches for options whose values are names or a fixed list. */
function valueCases(commands: readonly DescribedCommand[]): readonly string[] {
  const cases = new Map<string, Set<string>>();
  for (const { flag, names, choices } of commands.flatMap(({ options }) => options)) {
    const words = names === null ? choices.join(' ') : `$(_robosmith_names ${names})`;
    if (words !== '') cases.set(flag, (cases.get(flag) ?? new Set()).add(words));
  }
  return [...cases].map(
    ([flag, words]) => `    ${flag}) COMPREPLY=($(compgen -W "${[...words].join(' ')}" -- "$word")); return ;;`,
  );
}

const flagsOf = (
  commands: readonly DescribedCommand[],
  fits: (option: DescribedOption) => boolean,
): readonly string[] => [...new Set(commands.flatMap(({ options }) => options.filter(fits).map(({ flag }) => flag)))];
