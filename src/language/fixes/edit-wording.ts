import { declaredWorker } from '#compiler/index.ts';
import type { ManifestProject } from '../project/manifest-project.ts';
import type { ManifestDocument } from '../text/document.ts';
import { memberOf, membersOf, textOf } from '../text/json-node.ts';
import type { TextEdit } from '../text/place.ts';
import { setValue } from './edit-json.ts';

interface Declared {
  readonly document: ManifestDocument;
  readonly path: readonly string[];
  readonly worker: string | null;
}

/** Finds the declaration of a block by its id `node__name`. The node may have inherited the block from another node. */
function declarationOf({ documents, names }: ManifestProject, id: string): Declared | null {
  const end = id.indexOf('__');
  const [node, name] = [id.slice(0, end), id.slice(end + 2)];
  const family = names.families.familyOf(node, name);
  const found = documents.flatMap((document) =>
    membersOf(memberOf(document.tree, 'nodes')).flatMap(({ name: owner, value }) =>
      membersOf(memberOf(value, 'blocks'))
        .map((block) => ({ owner, key: block.name, worker: textOf(memberOf(block.value, 'worker')), document }))
        .filter(({ key }) => names.families.familyOf(owner, key.replace(/^(?:Block:)?(?:.*__)?/, '')) === family),
    ),
  );
  const chosen = found.find(({ owner }) => owner === node) ?? found[0];
  return chosen === undefined || end <= 0
    ? null
    : { document: chosen.document, path: ['nodes', chosen.owner, 'blocks', chosen.key], worker: chosen.worker };
}

/**
 * Returns the edits that write a `contract` into a block and a `persona` into its worker; null if the block does not
 * exist.
 */
export function editWording(
  project: ManifestProject,
  block: string,
  wordings: ReadonlyMap<string, string>,
): readonly TextEdit[] | null {
  const declared = declarationOf(project, block);
  if (declared === null) return null;
  const { document, path, worker } = declared;
  const [contract, persona] = [wordings.get('contract'), wordings.get('persona')];
  const name = worker === null ? null : declaredWorker(worker);
  const keyIn = ({ tree }: ManifestDocument): string | undefined =>
    membersOf(memberOf(tree, 'workers')).find((member) => declaredWorker(member.name) === name)?.name;
  const home = project.documents.find((one) => keyIn(one) !== undefined);
  const key = home === undefined ? undefined : keyIn(home);
  return [
    ...(contract === undefined ? [] : setValue(document, [...path, 'contract'], contract)),
    ...(persona === undefined || home === undefined || key === undefined
      ? []
      : setValue(home, ['workers', key, 'persona'], persona)),
  ];
}
