import { spanOf, type ManifestDocument } from '../text/document.ts';
import { entriesOf, memberOf, membersOf } from '../text/json-node.ts';
import type { Range } from '../text/place.ts';

/** A code lens: an action that the editor shows above a node's declaration. */
export interface Lens {
  readonly action: 'run' | 'simulate' | 'show';
  readonly node: string;
  readonly range: Range;
}

/** Returns code lenses for every node that can be executed: one that has its own blocks or extends other nodes. */
export function lenses(document: ManifestDocument): readonly Lens[] {
  return membersOf(memberOf(document.tree, 'nodes')).flatMap(({ name, key, value }): readonly Lens[] => {
    const isMade = memberOf(value, 'extend') !== undefined || entriesOf(memberOf(value, 'mixins')).length > 0;
    if (!isMade && membersOf(memberOf(value, 'blocks')).length === 0) return [];
    const range = document.rangeOf(spanOf(key));
    return (['run', 'simulate', 'show'] as const).map((action) => ({ action, node: name, range }));
  });
}
