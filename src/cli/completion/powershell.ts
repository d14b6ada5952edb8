import { type DescribedCommand, followers } from './described-command.ts';

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const list = (words: readonly string[]): string => `@(${words.map(quoted).join(', ')})`;

/** Returns a completion script for PowerShell 5.1 and newer. */
export const powershellCompletion = (
  commands: readonly DescribedCommand[],
): string => `# PowerShell completion of robosmith
Register-ArgumentCompleter -Native -CommandName robosmith -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $commands = @{
${[{ words: [], options: [], names: null, choices: [] }, ...commands].map((one) => `    ${quoted(one.words.join(' '))} = @{ words = ${list([...followers(commands, one.words), ...one.choices, ...one.options.map(({ flag }) => flag)])}; names = ${quoted(one.names ?? '')} }`).join('\n')}
  }
  $values = @{
${valuesOf(commands).join('\n')}
  }
  $typed = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($wordToComplete -ne '' -and $typed.Count -gt 0) { $typed = @($typed | Select-Object -SkipLast 1) }
  $last = if ($typed.Count -gt 0) { $typed[-1] } else { '' }
  $key = ''
  foreach ($word in $typed) {
    $longer = "$key $word".Trim()
    if ($commands.ContainsKey($longer)) { $key = $longer } else { break }
  }
  if ($values.ContainsKey("$key $last")) {
    $found = $values["$key $last"]
    if ($found -is [string]) { $found = @(robosmith completion $found 2>$null) }
  } else {
    $found = @($commands[$key].words)
    if ($commands[$key].names -ne '' -and -not $wordToComplete.StartsWith('-')) {
      $found += @(robosmith completion $commands[$key].names 2>$null)
    }
  }
  $found | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`;

/** Returns the values of options, by command and flag: a list, or the kind of names to look up. */
const valuesOf = (commands: readonly DescribedCommand[]): readonly string[] =>
  commands.flatMap(({ words, options }) =>
    options.flatMap(({ flag, names, choices }) => {
      const key = quoted([...words, flag].join(' '));
      if (names !== null) return [`    ${key} = ${quoted(names)}`];
      return choices.length > 0 ? [`    ${key} = ${list(choices)}`] : [];
    }),
  );
