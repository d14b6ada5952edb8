import type { ManifestSource } from '#protocol/compiled.ts';
import { createDiagnose } from './diagnose.ts';
import { importPath } from './import-path.ts';
import { isObject, readList, readString } from './json-reader.ts';
import { readText } from './read-text.ts';

/**
 * Returns the files that a manifest file imports, relative to the project, without duplicates. Faults are not reported
 * here but by `compile`. For speed, a text without the word `"imports"` is not parsed.
 */
export function importsOf(source: ManifestSource): readonly string[] {
  if (!source.text.includes('"imports"')) return [];
  const root = readText(source, 0, createDiagnose());
  if (root === null) return [];
  const written = (readList(root, 'imports') ?? []).flatMap((one) =>
    typeof one === 'string' ? [one] : isObject(one) ? (readString(one, 'from') ?? []) : [],
  );
  const paths = written.map((path) => importPath(source.path.replace(/^(?:\.\/+)+/, ''), path));
  return [...new Set(paths.flatMap((path) => (path.ok ? [path.path] : [])))];
}
