import type { RunPicture } from '#logic/picture/run-picture.ts';
import type { CallRecord } from '#protocol/call-record.ts';
import type { BlockFacts, Spending } from '#protocol/generated/view.gen.ts';
import type { Graph } from '#protocol/graph.ts';
import type { RunId } from '#protocol/id.ts';
import { blockContext, callOf } from './block-context.ts';
import { cutText, turnName } from './conversation.ts';
import { runExecutions } from './run-executions.ts';

function spendingOf(call: CallRecord): Spending | null {
  const { tokens_used: used, cost } = call;
  if (used === null) return null;
  const atLeast = cost.at_least === true;
  return { input: used.input, output: used.output, microUsd: cost.micro_usd, atLeast };
}

function keyNoteOf({ attempts }: CallRecord): string | null {
  const failed = attempts.filter(({ outcome }) => outcome !== 'ok');
  if (failed.length === 0) return null;
  return failed.map(({ key, outcome }) => `${key}: ${outcome.replaceAll('_', ' ')}`).join(', then ');
}

/**
 * Returns the facts of a block's visit that its card does not show, without the changed files, which git has to be
 * asked for.
 */
export function blockFacts(
  root: string,
  run: RunId,
  graph: Graph,
  picture: RunPicture,
  block: string,
  visit: number | null,
): BlockFacts {
  const newest = visit ?? picture.blocks.get(block)?.visits ?? null;
  const call = callOf(root, run, block, newest);
  const last = runExecutions(root, run).findLast(
    (one) => one.kind === 'executed' && one.block === block && (newest === null || one.visit === newest),
  );
  const executed = last?.kind === 'executed' ? last : null;
  const answer = executed?.append.map(({ content }) => content).join('\n\n') ?? '';
  const name = turnName(run, block, `${last?.frame ?? ''} ${block}#${newest ?? 0}.${executed?.attempt ?? 0}`);
  return {
    run,
    block,
    visit: newest === 0 ? null : newest,
    model: call?.request.model ?? null,
    key: call?.attempts.at(-1)?.key ?? null,
    keyNote: call === null ? null : keyNoteOf(call),
    spending: call === null ? null : spendingOf(call),
    layers: blockContext(root, run, graph, block, newest).layers.map(({ layer, tokens }) => ({ layer, tokens })),
    answer: answer === '' ? null : cutText(answer, name),
    streaming: false,
    failure: executed?.failure ?? null,
    attempts: picture.attempts.get(block) ?? [],
    files: [],
  };
}
