/** A register of running process trees, read after a crash. Nothing here throws. */
export interface ProcessRegister {
  /** Registers a tree right before it is started; all of its processes carry the mark. */
  begin(mark: string): RegisteredProcess;
}

export interface RegisteredProcess {
  readonly started: (pid: number) => void;
  /** Removes the entry: the whole tree has ended. */
  readonly ended: () => void;
}
