/**
 * The file system calls for RoboSmith's own state, so that a test can make each fail. Paths are absolute. Each throws
 * an Error with the system's `code` (`ENOSPC`, `EACCES`, `ENOENT` …).
 */
export interface FileCalls {
  /**
   * Opens a file and returns its descriptor. `a` appends and creates, `wx` creates and fails with `EEXIST`, `r+` opens
   * an existing file. `mode` is for new files that are not the engine's own.
   */
  open(path: string, flags: 'a' | 'wx' | 'r+', mode?: number): number;
  close(descriptor: number): void;
  /**
   * Writes at `position`. Without `position`, writes at the end of a file opened with `a`, else after the previous
   * write without a position. Returns the number of bytes written, which may be fewer than given.
   */
  write(descriptor: number, bytes: Uint8Array, position?: number): number;
  /** Forces the content to the disk (fdatasync). */
  datasync(descriptor: number): void;
  /** Does the same as `datasync`, but on another thread, for slow disks. */
  datasyncAside(descriptor: number): Promise<void>;
  /** Forces content and attributes to the disk (fsync). */
  sync(descriptor: number): void;
  truncate(descriptor: number, size: number): void;
  /** Renames a file and replaces the target. */
  rename(from: string, to: string): void;
  /** Creates a hard link; fails with `EEXIST` if the name is taken. */
  link(from: string, to: string): void;
  /** Removes a file. */
  remove(path: string): void;
  /** Removes an empty folder. */
  removeFolder(path: string): void;
  /** Creates a folder with its parents; does nothing if it exists. */
  makeFolder(path: string): void;
  /** Returns the names in a folder, in no particular order. */
  list(path: string): readonly string[];
  read(path: string): Uint8Array;
  stat(path: string): {
    readonly size: number;
    readonly modifiedAt: number;
    readonly isFolder: boolean;
    /** The permission bits; absent where the system has none. */
    readonly mode?: number;
  };
  /** Forces a folder's entries to the disk (fsync of the folder); does nothing on systems without such a call. */
  syncFolder(path: string): void;
}
