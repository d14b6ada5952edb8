import type { ManifestSource } from '#protocol/compiled.ts';
import type { JsonObject } from '#protocol/json.ts';
import { createDiagnose } from './diagnose.ts';
import { importPath } from './import-path.ts';
import { isObject, readObject, readString } from './json-reader.ts';
import { readText } from './read-text.ts';

/** Matches a `schema` that may be a path; a comment may stand before the path or before the colon. */
const MAYBE_PATH = /"schema"\s*(?::\s*["/]|\/)/;

const members = (object: JsonObject | null): readonly JsonObject[] => Object.values(object ?? {}).filter(isObject);

const schemaIn = (block: JsonObject): readonly string[] => {
  const places = [readObject(block, 'validation'), readObject(block, 'answer')];
  return places.flatMap((place) => (place === null ? null : readString(place, 'schema')) ?? []);
};

/**
 * Returns the files to which `validation.schema` and `answer.schema` refer in a manifest file, relative to the project,
 * without duplicates. Faults are not reported here but by `compile`. For speed, a text without such a path is not
 * parsed.
 */
export function schemaPathsOf(source: ManifestSource): readonly string[] {
  if (!MAYBE_PATH.test(source.text)) return [];
  const root = readText(source, 0, createDiagnose());
  if (root === null) return [];
  const written = members(readObject(root, 'nodes'))
    .flatMap((node) => members(readObject(node, 'blocks')))
    .flatMap(schemaIn);
  const paths = [...new Set(written)].map((path) => importPath(normalise(source.path), path));
  return [...new Set(paths.flatMap((path) => (path.ok ? [path.path] : [])))];
}

const normalise = (path: string): string => path.replace(/^(?:\.\/+)+/, '');
