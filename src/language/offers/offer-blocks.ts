import type { ManifestProject } from '../project/manifest-project.ts';
import type { Offer } from './completion.ts';

/** Returns completions for a block reference: the node's own blocks by name, blocks of other nodes by full id. */
export function offerBlocks({ names }: ManifestProject, node: string): readonly Offer[] {
  const others = names.names('node').filter((other) => other !== node);
  return [
    ...names.families.blocksOf(node).map((text): Offer => ({ text, kind: 'block', detail: 'block of this node' })),
    ...others.flatMap((other) =>
      names.families
        .blocksOf(other)
        .map((name): Offer => ({ text: `${other}__${name}`, kind: 'block', detail: `block of ${other}` })),
    ),
  ];
}

export const offerNodes = ({ names }: ManifestProject): readonly Offer[] =>
  names.names('node').map((text) => {
    const count = names.families.blocksOf(text).length;
    return { text, kind: 'node', detail: count === 1 ? 'node, 1 block' : `node, ${count} blocks` };
  });
