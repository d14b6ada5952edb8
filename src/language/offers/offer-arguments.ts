import type { Node } from 'jsonc-parser';
import { importPath } from '#compiler/index.ts';
import type { ManifestProject } from '../project/manifest-project.ts';
import type { ManifestDocument } from '../text/document.ts';
import { entriesOf, memberOf, membersOf, textOf } from '../text/json-node.ts';
import type { Offer } from './completion.ts';
import type { KeyOffer } from './offer-schema.ts';

type Path = readonly (string | number)[];

/** Returns the declared parameters of the file that the import at a path names; none at any other path. */
function parametersAt(
  project: ManifestProject,
  { path: file, tree }: ManifestDocument,
  [section, index, key]: Path,
): readonly { readonly name: string; readonly value: Node | undefined }[] {
  if (section !== 'imports' || typeof index !== 'number' || key !== 'with') return [];
  const from = textOf(memberOf(entriesOf(memberOf(tree, 'imports'))[index], 'from'));
  const target = from === null ? null : importPath(file, from);
  const imported = target?.ok === true ? project.document(target.path) : null;
  return membersOf(memberOf(imported?.tree, 'parameters'));
}

function valueSnippet(parameter: Node | undefined): string {
  const type = textOf(memberOf(parameter, 'type'));
  if (type === 'boolean') return 'true';
  return type === 'number' ? '${1:1}' : '"$1"';
}

/** Returns completions for the arguments of an import: the parameters of its file that have no argument yet. */
export function offerArguments(
  project: ManifestProject,
  document: ManifestDocument,
  path: Path,
  present: ReadonlySet<string>,
): readonly KeyOffer[] {
  if (path.length !== 3) return [];
  const offers = parametersAt(project, document, path)
    .filter(({ name }) => !present.has(name))
    .map(({ name, value }): KeyOffer => {
      const snippet = valueSnippet(value);
      return {
        name,
        value: snippet,
        isRequired: memberOf(value, 'default') === undefined,
        description: textOf(memberOf(value, 'description')) ?? '',
        continues: snippet === '"$1"',
      };
    });
  return [...offers.filter((one) => one.isRequired), ...offers.filter((one) => !one.isRequired)];
}

/** Returns completions for the value of one argument, as JSON text: the values that its parameter allows. */
export function offerArgumentValues(
  project: ManifestProject,
  document: ManifestDocument,
  path: Path,
): readonly Offer[] {
  if (path.length !== 4) return [];
  const parameter = parametersAt(project, document, path).find(({ name }) => name === path[3])?.value;
  const listed = entriesOf(memberOf(parameter, 'enum')).map((node) => JSON.stringify(node.value));
  const isFlag = textOf(memberOf(parameter, 'type')) === 'boolean';
  const texts = listed.length === 0 && isFlag ? ['true', 'false'] : listed;
  return texts.map((text) => ({ text, kind: 'value', detail: textOf(memberOf(parameter, 'description')) ?? '' }));
}
