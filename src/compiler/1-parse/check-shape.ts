import type { JsonObject } from '#protocol/json.ts';
import type { Validate } from '../generated/validate-manifest.gen.js';
import type { Diagnose } from './diagnose.ts';
import { followPointer } from './follow-pointer.ts';
import { reportShapeError } from './report-shape-error.ts';

/**
 * Reports every difference between a file's value and its schema. Later phases read the value leniently, so that one
 * wrong member does not hide findings about the others.
 */
export function checkShape(root: JsonObject, validate: Validate, diagnose: Diagnose): void {
  if (validate(root)) return;
  for (const error of validate.errors ?? []) {
    const at = followPointer(root, error.instancePath);
    const aboutKey = error.data !== at.value;
    // A wrong key causes two errors. The error of the key's own schema is skipped; the error of `propertyNames`, which
    // contains the key, is reported.
    if (!aboutKey) reportShapeError(error, at, diagnose);
  }
}
