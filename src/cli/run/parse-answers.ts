import type { Graph, GraphBlock } from '#protocol/graph.ts';
import type { BlockId } from '#protocol/id.ts';
import type { Answer } from '#protocol/response.ts';
import { didYouMean } from '#protocol/nearest.ts';
import { usageError } from '../terminal/usage-error.ts';
import { findBlock } from './find-start.ts';

/** One value of `--answer <block=answer>`. */
export interface BlockAnswer {
  readonly block: BlockId;
  readonly answer: Answer;
}

const VERBS = ['retry', 'proceed', 'next', 'abort'] as const;

export const parseAnswers = (texts: readonly string[], graph: Graph): readonly BlockAnswer[] =>
  texts.map((text) => parseAnswer(text, graph));

function parseAnswer(text: string, graph: Graph): BlockAnswer {
  const at = text.indexOf('=');
  if (at === -1)
    throw wrong(
      `"${text}" is not an answer: write --answer <block>=<retry, proceed, reject:<reason>, next, jump:<block> or abort>.`,
    );
  const block = known(text.slice(0, at), graph);
  const word = text.slice(at + 1);
  const verb = VERBS.find((one) => one === word);
  if (verb !== undefined) return { block: block.id, answer: { verb } };
  const reason = word.startsWith('reject:') ? word.slice('reject:'.length).trim() : '';
  if (reason !== '') return { block: block.id, answer: { verb: 'reject', guidance: reason } };
  if (!word.startsWith('jump:'))
    throw wrong(
      `"${word}" is not an answer: use retry, proceed, reject:<reason>, next, jump:<block> or abort.${didYouMean(word, VERBS)}`,
    );
  return { block: block.id, answer: { verb: 'jump', block: jumpTarget(word.slice('jump:'.length), block, graph) } };
}

/** Resolves a jump target: a name without a node is a block of the same node, as in the manifest. */
export const jumpTarget = (name: string, from: Pick<GraphBlock, 'node'>, graph: Graph): BlockId =>
  (findBlock(`${from.node}__${name}`, graph) ?? known(name, graph)).id;

function known(name: string, graph: Graph): GraphBlock {
  const block = findBlock(name.replace(/^Block:/, ''), graph);
  if (block !== null) return block;
  const ids = graph.nodes.flatMap((node) => node.blocks.map(({ id }) => id as string));
  throw wrong(`The manifest has no block "${name}".${didYouMean(name, ids)}`);
}

const wrong = (message: string): Error => usageError(message, ['robosmith manifest show']);
