import { type DescribedCommand, type DescribedOption, followers } from './described-command.ts';

export const bashCompletion = (commands: readonly DescribedCommand[]): string => `# bash completion of robosmith
_robosmith_names() {
  robosmith completion "$1" 2>/dev/null
}
_robosmith_words() {
  local one words
  read -r -d '' -a words <<< "$1"
  for one in "\${words[@]}"; do
    if [[ "$one" == "$word"* ]]; then COMPREPLY+=("$(printf %q "$one")"); fi
  done
}
_robosmith() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" from=1
  COMPREPLY=()
  if [[ "\${COMP_WORDS[1]}" == -C ]]; then
    if (( COMP_CWORD == 2 )); then COMPREPLY=($(compgen -d -- "$word")); return; fi
    from=3
  fi
  local line="\${COMP_WORDS[*]:from:COMP_CWORD-from} "
  case "$line" in
${[...commands]
  .sort((a, b) => b.words.length - a.words.length)
  .map(
    (command) =>
      `    "${command.words.join(' ')} "*)${valuesOf(command.options)}\n      ${replyOf(command, commands)} ;;`,
  )
  .join('\n')}
    *) _robosmith_words "${followers(commands, []).join(' ')} -C --help --version" ;;
  esac
}
complete -o default -F _robosmith robosmith
`;

/**
 * Returns the shell code that completes the arguments of a command. Names are looked up only if the current word does
 * not begin like a flag.
 */
function replyOf({ words, options, names, choices }: DescribedCommand, commands: readonly DescribedCommand[]): string {
  const own = [...followers(commands, words), ...choices, ...options.map(({ flag }) => flag)].join(' ');
  const found = names === null ? '' : ` $([[ "$word" == -* ]] || _robosmith_names ${names})`;
  return `_robosmith_words "${own}${found}"`;
}

/** Returns the shell code that completes the value of an option; a value of any other kind is left to the person. */
function valueOf({ takesFile, names, choices }: DescribedOption): string {
  if (takesFile) return 'COMPREPLY=($(compgen -f -- "$word"))';
  if (names !== null) return `_robosmith_words "$(_robosmith_names ${names})"`;
  return choices.length > 0 ? `_robosmith_words "${choices.join(' ')}"` : '';
}

/** Returns the shell code that completes the values of a command's options. */
function valuesOf(options: readonly DescribedOption[]): string {
  const flags = new Map<string, readonly string[]>();
  for (const option of options.filter(({ takesValue }) => takesValue)) {
    const code = valueOf(option);
    flags.set(code, [...(flags.get(code) ?? []), option.flag]);
  }
  if (flags.size === 0) return '';
  const cases = [...flags].map(([code, names]) => `${names.join('|')}) ${code === '' ? '' : `${code}; `}return ;;`);
  return `\n      case "$before" in\n        ${cases.join('\n        ')}\n      esac`;
}
