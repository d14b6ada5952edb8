import { FORGE_CODES } from './forge.ts';
import type { JsonObject } from './json.ts';

/** The closed table of error codes; `schemas/errors.md` explains each. */
export const ERROR_CODES = [
  'precondition_failed',
  'waits',
  'ai_failed',
  'no_keychain',
  'unsafe_path',
  'file_ignored',
  'module_not_approved',
  'content_changed',
  'wrong_state',
  'refused',
  'usage',
  'io',
  'corrupt_state',
  'state_not_saved',
  'host_denied',
  'host_version',
  'host_failed',
  ...FORGE_CODES,
  'bug',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** An error with a stable code, thrown only where a value can't carry the failure. */
export class RoboSmithError extends Error {
  readonly code: ErrorCode;
  readonly data: JsonObject;

  constructor(code: ErrorCode, message: string, data: JsonObject = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'RoboSmithError';
    this.code = code;
    this.data = data;
  }

  static is(value: unknown, code?: ErrorCode): value is RoboSmithError {
    return value instanceof RoboSmithError && (code === undefined || value.code === code);
  }
}

/** Returns the error of a worker whose settings or surroundings do not allow it to execute. */
export const preconditionFailed = (message: string): RoboSmithError =>
  new RoboSmithError('precondition_failed', message);
