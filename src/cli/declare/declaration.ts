/** Runs a command and records its exit code. The module of the command is loaded only when it runs. */
export type Perform = (work: () => Promise<number>) => Promise<void>;

/** Returns the examples that end every help text. */
export const example = (...lines: readonly string[]): string =>
  `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.map((line) => `  ${line}`).join('\n')}`;
