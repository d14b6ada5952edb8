/** A register of running process trees. Recovery reads it after a crash. Its methods never throw. */
export interface ProcessRegister {
  /** Registers a process tree right before it is started. All of its processes carry `mark`. */
  begin(mark: string): RegisteredProcess;
}

export interface RegisteredProcess {
  readonly started: (pid: number) => void;
  /** Removes the entry. Called when the whole tree has ended. */
  readonly ended: () => void;
}
