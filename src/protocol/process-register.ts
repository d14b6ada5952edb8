/** Process trees that run, told to whoever comes after a crash of ours. Nothing here throws. */
export interface ProcessRegister {
  /** Right before a tree is started; all of it carries the mark. */
  begin(mark: string): RegisteredProcess;
}

export interface RegisteredProcess {
  readonly started: (pid: number) => void;
  /** The whole tree is gone. */
  readonly ended: () => void;
}
