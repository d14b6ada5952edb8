/** Matches a word as a shell reads it, as far as it means the same without one: bare, or in quotes. */
const WORD = /(?:[\w@%+=:,./\\-]+|"[^"$`\\!]*"|'[^']*')+/g;

const PLAIN = /^\s*(?:(?:[\w@%+=:,./\\-]+|"[^"$`\\!]*"|'[^']*')+(?:\s+|$))+$/;

const unquoted = (word: string): string =>
  word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? '');

/**
 * Returns a typed command as a program and its arguments; null for an empty text. A text with anything that only a
 * shell understands, such as `&&`, is passed to the system's shell.
 */
export function commandArgv(text: string, platform: NodeJS.Platform): readonly string[] | null {
  if (text.trim() === '') return null;
  const [program = '', ...rest] = PLAIN.test(text) ? (text.match(WORD) ?? []).map(unquoted) : [];
  // `NAME=value command` sets a variable, which only a shell does.
  if (program !== '' && !/^\w+=/.test(program)) return [program, ...rest];
  return platform === 'win32' ? ['cmd', '/d', '/s', '/c', text] : ['sh', '-c', text];
}

/** Returns a command as it was typed. */
export const commandText = (argv: readonly string[]): string => {
  const [program, flag, script] = argv;
  if (program === 'sh' && flag === '-c' && script !== undefined && argv.length === 3) return script;
  return program === 'cmd' ? (argv.at(-1) ?? '') : argv.join(' ');
};
