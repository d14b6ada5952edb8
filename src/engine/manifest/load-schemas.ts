import { type CompileOptions, parseSchemaFile, schemaPathsOf } from '#compiler/index.ts';
import type { manifestFiles } from '#io/project/manifest-files.ts';
import type { ManifestSource } from '#protocol/compiled.ts';
import type { JsonObject } from '#protocol/json.ts';

type SchemaOptions = Pick<CompileOptions, 'schemas' | 'schemaProblems' | 'checkSchema'>;

/** Loads the files of `validation.schema`, and checks every schema. Without any, no validator is loaded. */
export async function loadSchemas(
  sources: readonly ManifestSource[],
  files: ReturnType<typeof manifestFiles>,
): Promise<SchemaOptions> {
  if (!sources.some(({ text }) => text.includes('"schema"'))) return {};
  const schemas = new Map<string, JsonObject>();
  const schemaProblems = new Map<string, string>();
  for (const path of new Set(sources.flatMap(schemaPathsOf))) {
    const read = await files.read(path);
    const parsed =
      'source' in read
        ? parseSchemaFile(read.source)
        : { problem: 'why' in read ? read.why : 'there is no such file in the project' };
    if ('schema' in parsed) schemas.set(path, parsed.schema);
    else schemaProblems.set(path, parsed.problem);
  }
  const { createSchemaCheck } = await import('../schemas/json-schema.ts');
  return { schemas, schemaProblems, checkSchema: createSchemaCheck() };
}
