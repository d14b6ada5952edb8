import type { ManifestProject } from '../project/manifest-project.ts';
import { nodeNames } from '../project/node-names.ts';
import { spanOf, type ManifestDocument } from '../text/document.ts';
import { entriesOf, memberOf, membersOf } from '../text/json-node.ts';
import type { Range } from '../text/place.ts';

/** A code lens: an action that the editor shows above a node's declaration. */
interface Lens {
  readonly action: 'run' | 'simulate' | 'show';
  /** The name of the node in the compiled manifest. */
  readonly node: string;
  /** True if `node` differs from the name in the file, because the file is imported under another name. */
  readonly isRenamed: boolean;
  readonly range: Range;
}

const ACTIONS = ['run', 'simulate', 'show'] as const;

/** Returns code lenses for every node that can be executed: one that has its own blocks or extends other nodes. */
export function lenses(project: ManifestProject, document: ManifestDocument): readonly Lens[] {
  const namesOf = nodeNames(project, document);
  return membersOf(memberOf(document.tree, 'nodes')).flatMap(({ name, key, value }): readonly Lens[] => {
    const isMade = memberOf(value, 'extend') !== undefined || entriesOf(memberOf(value, 'mixins')).length > 0;
    if (!isMade && membersOf(memberOf(value, 'blocks')).length === 0) return [];
    const range = document.rangeOf(spanOf(key));
    return namesOf(name).flatMap((node) =>
      ACTIONS.map((action) => ({ action, node, isRenamed: node !== name, range })),
    );
  });
}
