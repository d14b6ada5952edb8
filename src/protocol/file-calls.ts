/**
 * The system's file calls that RoboSmith keeps its own state with, one to one, so that each can be made to fail in a test.
 * Paths are absolute. Each throws an Error with the system's `code` (`ENOSPC`, `EACCES`, `ENOENT` …).
 */
export interface FileCalls {
  /** `a`: append, made when missing. `wx`: new, `EEXIST` when there. `r+`: there, read and write. Gives a descriptor. `mode`: of a new one that is not the engine's own. */
  open(path: string, flags: 'a' | 'wx' | 'r+', mode?: number): number;
  close(descriptor: number): void;
  /** Writes at this place, else at the end (`a`) or where the last such write ended; perhaps a part only. Gives the bytes written. */
  write(descriptor: number, bytes: Uint8Array, position?: number): number;
  /** What was written reaches the disk: fdatasync. */
  datasync(descriptor: number): void;
  /** The same off this thread, for slow disks. */
  datasyncAside(descriptor: number): Promise<void>;
  /** Content and attributes: fsync. */
  sync(descriptor: number): void;
  truncate(descriptor: number, size: number): void;
  /** Replaces what is there. */
  rename(from: string, to: string): void;
  /** A second name; `EEXIST` when there is one. */
  link(from: string, to: string): void;
  /** A file. */
  remove(path: string): void;
  /** An empty folder. */
  removeFolder(path: string): void;
  /** With all above it; nothing when it is there. */
  makeFolder(path: string): void;
  /** Names, in no order. */
  list(path: string): readonly string[];
  read(path: string): Uint8Array;
  stat(path: string): {
    readonly size: number;
    readonly modifiedAt: number;
    readonly isFolder: boolean;
    /** Who may read and write it; not where the system has no such thing. */
    readonly mode?: number;
  };
  /** A folder's names reach the disk; nothing where the system has no such call. */
  syncFolder(path: string): void;
}
