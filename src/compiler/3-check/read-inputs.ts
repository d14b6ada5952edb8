import type { Inputs } from '#protocol/inputs.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { isObject, readObject } from '../1-parse/json-reader.ts';
import { readDeclaredValue } from '../2-resolve/read-declared-value.ts';

/** Reads the inputs that the entry file declares for a run, or returns null if it declares none. */
export function readInputDeclarations(root: JsonObject, diagnose: Diagnose): Inputs | null {
  const written = Object.entries(readObject(root, 'inputs') ?? {});
  if (written.length === 0) return null;
  return Object.fromEntries(
    written.map(([name, value]) => [name, readDeclaredValue('input', name, isObject(value) ? value : {}, diagnose)]),
  );
}
