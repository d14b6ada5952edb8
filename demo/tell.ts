import pico from 'picocolors';

const write = (text: string): void => {
  process.stdout.write(text);
};

/** A new scene. */
export const scene = (title: string): void => write(`\n${pico.bold(pico.cyan(`━━ ${title} `.padEnd(78, '━')))}\n`);

/** What is going on, in plain words. */
export const say = (text: string): void => write(`${text}\n`);

/** A command as a person would type it. */
export const typed = (command: string): void => write(`\n${pico.green('$')} ${pico.bold(command)}\n`);

export const quote = (lines: readonly string[]): void =>
  write(`${lines.map((line) => `${pico.dim('│')} ${line}`).join('\n')}\n`);

/** A diff in its usual colours. */
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
