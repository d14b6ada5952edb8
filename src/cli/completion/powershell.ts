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
${[{ words: [], options: [], names: null }, ...commands].map((one) => `    ${quoted(one.words.join(' '))} = @{ words = ${list([...followers(commands, one.words), ...one.options.map(({ flag }) => flag)])}; names = ${quoted(one.names ?? '')} }`).join('\n')}
  }
  $values = @{
${valuesOf(commands).join('\n')}
  }
  $typed = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($wordToComplete -ne '' -and $typed.Count -gt 0) { $typed = @($typed | Select-Object -SkipLast 1) }
  $last = if ($typed.Count -gt 0) { $typed[-1] } else { '' }
  if ($values.ContainsKey($last)) {
    $found = $values[$last]
    if ($found -is [string]) { $found = @(robosmith completion $found 2>$null) }
  } else {
    $key = ''
    foreach ($word in $typed) {
      $longer = "$key $word".Trim()
      if ($commands.ContainsKey($longer)) { $key = $longer } else { break }
    }
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

/** Returns the values of options: a list, or the kind of names to look up. */
function valuesOf(commands: readonly DescribedCommand[]): readonly string[] {
  const found = new Map<string, string>();
  for (const { flag, names, choices } of commands.flatMap(({ options }) => options)) {
    if (names !== null) found.set(flag, quoted(names));
    else if (choices.length > 0) found.set(flag, list(choices));
  }
  return [...found].map(([flag, values]) => `    ${quoted(flag)} = ${values}`);
}
