import type { JsonObject } from './json.ts';

/** Thrown only where a value cannot carry the failure. The table is closed; `schemas/errors.md` explains each. */
export type ErrorCode = 'precondition_failed' | 'unsafe_path' | 'usage' | 'io' | 'bug';

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
