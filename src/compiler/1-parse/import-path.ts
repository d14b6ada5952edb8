import type { ManifestSource } from '#protocol/compiled.ts';
import { createDiagnose } from './diagnose.ts';
import { isObject, readList, readString } from './json-reader.ts';
import { readText } from './read-text.ts';

type ImportPath = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly problem: string };

const refused = (problem: string): ImportPath => ({ ok: false, problem });

function problemOf(path: string): string | null {
  if (path === '') return 'it is empty';
  if (/[\p{Cc}\p{Cs}]/u.test(path)) return 'it contains a control character';
  if (path.includes('\\')) return 'it contains a backslash';
  if (/^[A-Za-z][A-Za-z0-9+.-]*:/.test(path)) return 'it is a URL or names a drive';
  if (path.startsWith('/')) return 'it is absolute';
  return path.startsWith('~') ? 'it begins with "~"' : null;
}

/** Matches an import of a ready-made workflow, which names no file. */
const TEMPLATE = /^robosmith:[a-z0-9]+(?:-[a-z0-9]+)*$/;

/**
 * Resolves an import to a path relative to the project, or to `robosmith:<name>` as it is. Paths that lead out of the
 * project are rejected.
 */
export function importPath(importer: string, written: string): ImportPath {
  if (TEMPLATE.test(written)) return { ok: true, path: written };
  const problem = problemOf(written);
  if (problem !== null) return refused(problem);
  const segments = importer
    .split('/')
    .slice(0, -1)
    .filter((segment, index) => segment !== '.' && (segment !== '' || index === 0));
  for (const segment of written.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') segments.push(segment);
    else if (segments.length === 0 || segments.at(-1) === '..' || segments.at(-1) === '')
      return refused('it leads outside the project');
    else segments.pop();
  }
  const last = segments.at(-1);
  return last === undefined || /(?:^|\/)\.{0,2}$/.test(written)
    ? refused('it names a folder')
    : { ok: true, path: segments.join('/') };
}

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
