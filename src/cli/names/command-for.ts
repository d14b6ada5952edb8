import { REASON } from '#engine/index.ts';
import type { Graph } from '#protocol/graph.ts';
import type { BlockId } from '#protocol/id.ts';
import type { HaltRequest } from '#protocol/run.ts';
import type { Answer } from '#protocol/response.ts';
import { shellWord } from '#protocol/shell-word.ts';

/** The words of the command line, without the program's name. */
type CommandWords = readonly string[];

/**
 * Returns one command per answer that the halt accepts. `retry` is omitted if `proceed` is accepted, because both have
 * the same effect there.
 */
export function commandsFor(
  typed: CommandWords,
  halt: Pick<HaltRequest, 'block'>,
  verbs: readonly Answer['verb'][],
  graph: Graph,
): readonly string[] {
  const offered = verbs.filter((verb) => verb !== 'retry' || !verbs.includes('proceed'));
  const target = elsewhere(halt.block, graph);
  return offered.flatMap((verb) => {
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

interface Repeatable {
  readonly in?: string;
  readonly session?: string;
  readonly plan?: readonly string[];
  readonly detach?: true;
  readonly input?: readonly string[];
  readonly issue?: string;
  readonly pullRequest?: string;
  readonly script?: string;
  readonly step?: true;
  readonly answer?: readonly string[];
  readonly manifest?: string;
  readonly trust?: true;
}

/** Returns the command that repeats this one, without output options. */
export const typedAs = (verb: string, start: string | undefined, options: Repeatable): CommandWords => [
  verb,
  ...(start === undefined ? [] : [start]),
  ...(options.in === undefined ? [] : ['--in', options.in]),
  ...(options.session === undefined ? [] : ['--session', options.session]),
  ...(options.plan ?? []).flatMap((glob) => ['--plan', glob]),
  ...(options.manifest === undefined ? [] : ['--manifest', options.manifest]),
  ...(options.script === undefined ? [] : ['--script', options.script]),
  ...(options.input ?? []).flatMap((input) => ['--input', input]),
  ...(options.issue === undefined ? [] : ['--issue', options.issue]),
  ...(options.pullRequest === undefined ? [] : ['--pull-request', options.pullRequest]),
  ...(options.step === true ? ['--step'] : []),
  ...(options.detach === true ? ['--detach'] : []),
  ...(options.trust === true ? ['--trust'] : []),
  ...(options.answer ?? []).flatMap((answer) => ['--answer', answer]),
];
