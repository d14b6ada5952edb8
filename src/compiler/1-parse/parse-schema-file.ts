import type { ManifestSource } from '#protocol/compiled.ts';
import type { JsonObject } from '#protocol/json.ts';
import { createDiagnose } from './diagnose.ts';
import { readText } from './read-text.ts';

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
