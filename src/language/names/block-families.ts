import type { ManifestDocument } from '../text/document.ts';
import { entriesOf, memberOf, membersOf, textOf } from '../text/json-node.ts';
import { afterPrefix } from '#compiler/index.ts';

/**
 * Groups the blocks of composed nodes (`extend`, `mixins`) that are one symbol: an inherited block, and the blocks that
 * override it.
 */
export interface BlockFamilies {
  /** Returns a key that is equal for all blocks of one family. */
  familyOf(node: string, name: string): string;
  /** Returns the names of a node's blocks: first its own blocks, then the inherited ones. */
  blocksOf(node: string): readonly string[];
}

interface Composed {
  readonly own: readonly string[];
  readonly parts: readonly string[];
}

const nodeName = (written: string): string => written.slice(afterPrefix(written, 0, 'Node:'));

function blockName(node: string, key: string): string {
  const name = key.slice(afterPrefix(key, 0, 'Block:'));
  return name.slice(afterPrefix(name, 0, `${node}__`));
}

function composedNodes(documents: readonly ManifestDocument[]): ReadonlyMap<string, Composed> {
  const nodes = new Map<string, Composed>();
  for (const { tree } of documents)
    for (const { name, value } of membersOf(memberOf(tree, 'nodes'))) {
      const base = textOf(memberOf(value, 'extend'));
      const mixins = entriesOf(memberOf(value, 'mixins')).flatMap((mixin) => textOf(mixin) ?? []);
      nodes.set(name, {
        own: membersOf(memberOf(value, 'blocks')).map(({ name: key }) => blockName(name, key)),
        parts: [...(base === null ? [] : [base]), ...mixins].map(nodeName),
      });
    }
  return nodes;
}

const keyOf = (node: string, name: string): string => `${node}\n${name}`;

/** A disjoint-set (union-find) structure; the key of a set is its root. */
function createSets(): { find(key: string): string; join(left: string, right: string): void } {
  const parents = new Map<string, string>();
  const find = (key: string): string => {
    let root = key;
    for (let next = parents.get(root); next !== undefined; next = parents.get(root)) root = next;
    if (root !== key) parents.set(key, root);
    return root;
  };
  return {
    find,
    join: (left, right) => {
      const [from, to] = [find(left), find(right)];
      if (from !== to) parents.set(from, to);
    },
  };
}

/** Computes the block families from `extend` and `mixins`. Cycles are ignored here; the compiler reports them. */
export function blockFamilies(documents: readonly ManifestDocument[]): BlockFamilies {
  const nodes = composedNodes(documents);
  const sets = createSets();
  const known = new Map<string, readonly string[]>();
  const visit = (node: string, above: ReadonlySet<string>): readonly string[] => {
    const found = known.get(node);
    if (found !== undefined) return found;
    const { own, parts } = nodes.get(node) ?? { own: [], parts: [] };
    const names = new Set(own);
    for (const part of parts) {
      if (above.has(part) || part === node) continue;
      for (const name of visit(part, new Set([...above, node]))) {
        names.add(name);
        sets.join(keyOf(node, name), keyOf(part, name));
      }
    }
    known.set(node, [...names]);
    return [...names];
  };
  for (const node of nodes.keys()) visit(node, new Set());
  return {
    familyOf: (node, name) => sets.find(keyOf(node, name)),
    blocksOf: (node) => known.get(node) ?? [],
  };
}
