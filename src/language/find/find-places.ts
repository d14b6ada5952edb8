import { importPath, roleAt } from '#compiler/index.ts';
import type { ManifestProject } from '../project/manifest-project.ts';
import type { Occurrence } from '../names/collect-occurrences.ts';
import { textOf } from '../text/json-node.ts';
import type { Location, Position } from '../text/place.ts';
import { isKey, nodeAt, pathOf } from './node-at.ts';

/** Returns the symbol name at a position of a manifest file, or null if there is none. */
export function occurrenceAt(project: ManifestProject, file: string, position: Position): Occurrence | null {
  const document = project.document(file);
  return document === null ? null : project.names.at(file, document.offsetAt(position));
}

export function locationOf(project: ManifestProject, { file, span }: Occurrence): Location | null {
  const document = project.document(file);
  return document === null ? null : { file, range: document.rangeOf(span) };
}

const START = { line: 0, character: 0 };

/** Returns the file that an import, a schema path or an answers path refers to, or null for any other text. */
function namedFile(project: ManifestProject, file: string, position: Position): Location | null {
  const document = project.document(file);
  const node = document === null ? undefined : nodeAt(document, document.offsetAt(position));
  if (node === undefined || isKey(node)) return null;
  const role = roleAt(pathOf(node));
  const written = textOf(node);
  if (written === null || (role?.kind !== 'import' && role?.kind !== 'file')) return null;
  const target = importPath(file, written);
  return target.ok ? { file: target.path, range: { start: START, end: START } } : null;
}

/** Returns the declarations of the name at a position. For a file path, returns the start of that file. */
export function findDefinition(project: ManifestProject, file: string, position: Position): readonly Location[] {
  const found = occurrenceAt(project, file, position);
  if (found === null) {
    const named = namedFile(project, file, position);
    return named === null ? [] : [named];
  }
  const declared = project.names.places(found.symbol).filter((place) => place.isDeclaration);
  return declared.flatMap((place) => locationOf(project, place) ?? []);
}

/** Returns every place where the name at a position is written, in all files of the manifest. */
export function findReferences(
  project: ManifestProject,
  file: string,
  position: Position,
  withDeclaration: boolean,
): readonly Location[] {
  const found = occurrenceAt(project, file, position);
  if (found === null) return [];
  const places = project.names.places(found.symbol).filter((place) => withDeclaration || !place.isDeclaration);
  return places.flatMap((place) => locationOf(project, place) ?? []);
}
