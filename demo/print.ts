import pico from 'picocolors';

const write = (text: string): void => {
  process.stdout.write(text);
};

/** Prints the heading of a scene of the demonstration. */
export const scene = (title: string): void => write(`\n${pico.bold(pico.cyan(`━━ ${title} `.padEnd(78, '━')))}\n`);

/** Prints a sentence that explains what happens. */
export const say = (text: string): void => write(`${text}\n`);

/** Prints a command after a `$` prompt, as a user would type it. */
export const typed = (command: string): void => write(`\n${pico.green('$')} ${pico.bold(command)}\n`);

export const quote = (lines: readonly string[]): void =>
  write(`${lines.map((line) => `${pico.dim('│')} ${line}`).join('\n')}\n`);

/** Prints a diff in git's colours. */
export const diff = (text: string): void =>
  write(
    `${text
      .trimEnd()
      .split('\n')
      .map((line) =>
        /^(\+\+\+|---|diff|index)/.test(line)
          ? pico.dim(line)
          : line.startsWith('+')
            ? pico.green(line)
            : line.startsWith('-')
              ? pico.red(line)
              : line,
      )
      .join('\n')}\n`,
  );
