import { REASON } from '#engine/index.ts';
import type { Graph } from '#protocol/graph.ts';
import type { BlockId } from '#protocol/id.ts';
import type { HaltRequest } from '#protocol/run.ts';
import type { Answer } from '#protocol/response.ts';
import { shellWord } from '#protocol/shell-word.ts';

/**
 * Returns one command per answer to offer.
 */
export function commandsFor(
  typed: readonly string[],
  halt: Pick<HaltRequest, 'block'>,
  verbs: readonly Answer['verb'][],
  graph: Graph,
): readonly string[] {
  const target = elsewhere(halt.block, graph);
  return verbs.flatMap((verb) => {
    if (verb === 'jump' && target === null) return [];
    const answer = verb === 'jump' ? `jump:${target}` : verb === 'reject' ? `reject:${REASON}` : verb;
    return [`robosmith ${[...typed, '--answer', `${halt.block}=${answer}`].map(shellWord).join(' ')}`];
  });
}

/**
 * Returns a valid target for the example of a jump: the entry of the node, or the next block; null if the node has only
 * one block.
 */
export function elsewhere(id: BlockId, graph: Graph): BlockId | null {
  const node = graph.nodes.find(({ blocks }) => blocks.some((block) => block.id === id));
  const others = node?.blocks.filter((block) => block.id !== id) ?? [];
  return node !== undefined && node.entryBlock !== id ? node.entryBlock : (others[0]?.id ?? null);
}

const VALUE: Partial<Readonly<Record<Answer['verb'], string>>> = { jump: ' <block>', reject: ' <reason>' };

/** Returns the flag of `resume` for an answer, with the name of its value. */
export const flagOf = (verb: Answer['verb']): string => `--${verb}${VALUE[verb] ?? ''}`;
