import { afterPrefix, importPath } from '#compiler/index.ts';
import type { ManifestDocument } from '../text/document.ts';
import { entriesOf, memberOf, membersOf, textOf } from '../text/json-node.ts';
import type { ManifestProject } from './manifest-project.ts';

/**
 * The maximum number of imports that are followed, since files that import each other several times multiply
 * exponentially.
 */
const MOST_INSTANCES = 1_000;

/**
 * One import of a manifest file. `as` is the name that the import gives to it; null leaves the names of its nodes
 * unchanged.
 */
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

/**
 * Returns the node that is renamed to the name of the import, without a suffix: the entry node, or the only node. Null
 * if there is no such node.
 */
function mainNode({ tree }: ManifestDocument): string | null {
  const entry = textOf(memberOf(tree, 'entry'));
  if (entry !== null) return entry.slice(afterPrefix(entry, 0, 'Node:'));
  const nodes = membersOf(memberOf(tree, 'nodes'));
  return nodes.length === 1 ? (nodes[0]?.name ?? null) : null;
}

/**
 * Returns a function that maps the name of a node in a file to its names in the compiled manifest. There are several if
 * the file is imported several times under different names.
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
