/** Runs a command and records its exit code. The module of the command is loaded only when it runs. */
export type Perform = (work: () => Promise<number>) => Promise<void>;
