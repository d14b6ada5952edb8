import { afterPrefix, importPath } from '#compiler/index.ts';
import type { ManifestDocument } from '../text/document.ts';
import { entriesOf, memberOf, membersOf, textOf } from '../text/json-node.ts';
import type { ManifestProject } from './manifest-project.ts';

/** The maximum number of instances of files that are visited: copies of copies grow exponentially. */
const MOST_INSTANCES = 1_000;

/** A file of the manifest as one import has it. `as`: the name of the import; null: the names stay as written. */
interface Instance {
  readonly file: string;
  readonly as: string | null;
}

const keyOf = ({ file, as }: Instance): string => `${file}\n${as ?? ''}`;

function importsOf({ path, tree }: ManifestDocument, importer: string | null): readonly Instance[] {
  return entriesOf(memberOf(tree, 'imports')).flatMap((entry): readonly Instance[] => {
    const from = textOf(entry) ?? textOf(memberOf(entry, 'from'));
    const target = from === null ? null : importPath(path, from);
    if (target?.ok !== true) return [];
    const own = textOf(memberOf(entry, 'as'));
    const as = own === null || importer === null ? own : `${importer}-${own}`;
    return [{ file: target.path, as }];
  });
}

/** Returns the names under which the manifest imports a file, in the order of the imports. */
function namesOfFile(project: ManifestProject, file: string): readonly (string | null)[] {
  const [first] = project.documents;
  const waiting: Instance[] = first === undefined ? [] : [{ file: first.path, as: null }];
  const seen = new Map<string, Instance>();
  for (let next = waiting.shift(); next !== undefined && seen.size < MOST_INSTANCES; next = waiting.shift()) {
    if (seen.has(keyOf(next))) continue;
    seen.set(keyOf(next), next);
    const document = project.document(next.file);
    if (document !== null) waiting.push(...importsOf(document, next.as));
  }
  return [...seen.values()].flatMap((one) => (one.file === file ? [one.as] : []));
}

/** Returns the node that gets the name of an import itself: the entry node, or the only one. */
function mainNode({ tree }: ManifestDocument): string | null {
  const entry = textOf(memberOf(tree, 'entry'));
  if (entry !== null) return entry.slice(afterPrefix(entry, 0, 'Node:'));
  const nodes = membersOf(memberOf(tree, 'nodes'));
  return nodes.length === 1 ? (nodes[0]?.name ?? null) : null;
}

/**
 * Returns a function from the written name of a node of a file to its names in the compiled manifest: several if the
 * file is imported several times, each time under another name.
 */
export function nodeNames(
  project: ManifestProject,
  document: ManifestDocument,
): (written: string) => readonly string[] {
  const imported = namesOfFile(project, document.path);
  if (imported.every((as) => as === null)) return (written) => [written];
  const main = mainNode(document);
  return (written) =>
    imported.map((as) => {
      if (as === null) return written;
      return written === main ? as : `${as}-${written}`;
    });
}
