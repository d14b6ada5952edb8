/** Runs a command and records its exit code. The command's module is loaded only then. */
export type Perform = (work: () => Promise<number>) => Promise<void>;
