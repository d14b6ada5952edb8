/** What stopped a file operation that is not the program's own fault. */
export interface SystemError {
  readonly path: string;
  /** The cause with the system's code, such as `you have no permission (EACCES)`. */
  readonly why: string;
}

const CAUSES: Readonly<Record<string, string>> = {
  EACCES: 'you have no permission',
  EPERM: 'the system does not allow it',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'your disk quota is used up',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open in the system',
  EIO: 'the disk reported an error',
};

/** Returns the system's code of an error, such as `ENOENT`; null for any other thrown value. */
export const systemCodeOf = (thrown: unknown): string | null =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : null;

/** Describes an error of the file system, or returns null for any other error. */
export function describeSystemError(thrown: unknown): SystemError | null {
  if (!(thrown instanceof Error) || !('code' in thrown) || !('path' in thrown)) return null;
  const { code, path } = thrown;
  if (typeof code !== 'string' || typeof path !== 'string' || !Object.hasOwn(CAUSES, code)) return null;
  return { path, why: `${CAUSES[code] ?? ''} (${code})` };
}
