import { RoboSmithError } from '#protocol/error.ts';

/** Returns the error for an impossible command line. `next` are suggested commands. */
export const usageError = (message: string, next: readonly string[]): RoboSmithError =>
  new RoboSmithError('usage', message, { next });

/** Returns the error for a file or folder that can't be read or written. */
export const ioError = (message: string, next: readonly string[], cause?: unknown): RoboSmithError =>
  new RoboSmithError('io', message, { next }, cause);

/** Returns the system's error code, such as `ENOENT`. */
export const systemCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown error';
