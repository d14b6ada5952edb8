import { RoboSmithError } from '#protocol/error.ts';

/** What a person typed cannot be done; `next` are commands to type instead. */
export const usageError = (message: string, next: readonly string[]): RoboSmithError =>
  new RoboSmithError('usage', message, { next });

/** A file or folder cannot be read or written. */
export const ioError = (message: string, next: readonly string[], cause?: unknown): RoboSmithError =>
  new RoboSmithError('io', message, { next }, cause);

/** The operating system's own word for what went wrong, e.g. `ENOENT`. */
export const systemCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown error';
