import type { JsonObject } from '#protocol/json.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { importPath } from '../1-parse/import-path.ts';
import { readObject, readString } from '../1-parse/json-reader.ts';
import type { Spot } from '../1-parse/origins.ts';

type Schema = JsonObject | boolean;

/**
 * Facts about `validation.schema` that the caller supplies, because the compiler reads no files and has no schema
 * validator.
 */
export interface SchemaOptions {
  /** The schemas in the files that `schemaPathsOf` returns, by their path in the project. */
  readonly schemas?: ReadonlyMap<string, Schema>;
  /** The reasons why schema files can't be used, by path. A message shows the reason after a colon. */
  readonly schemaProblems?: ReadonlyMap<string, string>;
  /** Returns what is wrong with a schema, or null if it can be used. */
  readonly checkSchema?: (schema: Schema) => string | null;
}

function fromFile(written: string, spot: Spot, options: SchemaOptions, { at, report }: Diagnose): Schema | null {
  const importer = at(spot).place.file.replace(/^(?:\.\/+)+/, '');
  const target = importPath(importer, written);
  if (!target.ok) {
    report('RS2026', spot, { path: written, problem: target.problem });
    return null;
  }
  const schema = options.schemas?.get(target.path);
  if (schema !== undefined) return schema;
  const problem = options.schemaProblems?.get(target.path) ?? 'it was not given to the compiler';
  report('RS2027', spot, { path: written, file: target.path, problem });
  return null;
}

/**
 * Reads the `schema` of `validation` or `answer`, which is a schema or the path of a schema file. Returns null if there is none or it can't
 * be used.
 */
export function readSchema(owner: JsonObject, options: SchemaOptions, diagnose: Diagnose): Schema | null {
  const spot: Spot = { container: owner, member: 'schema' };
  const inline = owner['schema'];
  const path = readString(owner, 'schema') ?? '';
  const schema =
    typeof inline === 'boolean'
      ? inline
      : path === ''
        ? readObject(owner, 'schema')
        : fromFile(path, spot, options, diagnose);
  const problem = schema === null ? null : (options.checkSchema?.(schema) ?? null);
  if (problem === null) return schema;
  diagnose.report('RS2028', spot, { problem });
  return null;
}
