import type { ManifestSource } from '#protocol/compiled.ts';
import type { Diagnostic, Place } from '#protocol/diagnostic.ts';
import type { JsonObject } from '#protocol/json.ts';
import { createDiagnose } from './diagnose.ts';
import { readText } from './read-text.ts';

export interface StrictJson {
  readonly value: JsonObject;
  /** Returns the place of the object, or of a member's key or value. */
  placeOf(member?: string, side?: 'key' | 'value'): Place;
}

/**
 * Parses a text that consists of one JSON object; comments and trailing commas are allowed. If the text has faults,
 * such as a duplicate key, returns the first one.
 */
export function parseStrictJson(source: ManifestSource): StrictJson | { readonly fault: Diagnostic } {
  const diagnose = createDiagnose();
  const value = readText(source, 0, diagnose);
  const [fault] = diagnose.findings.sorted();
  if (fault !== undefined) return { fault };
  if (value === null) throw new Error('bug: a text without a value and without a fault');
  return {
    value,
    placeOf: (member, side = 'value') =>
      diagnose.at(member === undefined ? { container: value } : { container: value, member, side }).place,
  };
}

/** Parses a file that `validation.schema` names. `problem` says what is wrong with the file, and where. */
export function parseSchemaFile(
  source: ManifestSource,
): { readonly schema: JsonObject } | { readonly problem: string } {
  const diagnose = createDiagnose();
  const { findings } = diagnose;
  const schema = readText(source, 0, diagnose);
  if (schema !== null && !findings.hasErrors()) return { schema };
  const [first] = findings.sorted();
  const where = first === undefined ? source.path : `${first.file}:${first.line}:${first.column}`;
  return { problem: `${where}: ${(first?.message ?? 'it cannot be read').replace(/\.$/, '')}` };
}
