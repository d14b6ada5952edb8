import type { IntegrationState, WorkerKind } from '#protocol/generated/view.gen.ts';
import type { Graph } from '#protocol/graph.ts';
import type { RunId } from '#protocol/id.ts';
import { kindOf } from '#logic/picture/view-graph.ts';
import { blockIn, cutText, turnName } from './conversation.ts';
import { runExecutions } from './run-executions.ts';

/** The kinds of workers whose result is a text for people. */
const ANSWERS: ReadonlySet<WorkerKind> = new Set(['ai', 'agent', 'module', 'scripted']);

/**
 * Returns the last text that a block of a run has answered, or without one the last output of a command; null if there is
 * neither.
 */
export function lastAnswer(root: string, run: RunId, graph: Graph): IntegrationState['answer'] {
  const kinds = new Map<string, WorkerKind>(graph.workers.map(({ name, kind }) => [name, kind]));
  const said = runExecutions(root, run).flatMap((one) => {
    const block = blockIn(graph, one.block);
    const hasText = one.kind === 'executed' && one.append.some(({ content }) => content.trim() !== '');
    return hasText && block !== undefined ? [{ ...one, by: kindOf(block, kinds) }] : [];
  });
  const answered = said.findLast(({ by }) => ANSWERS.has(by)) ?? said.findLast(({ by }) => by === 'command');
  if (answered === undefined) return null;
  const { frame, block, visit, attempt, append } = answered;
  const text = append.map(({ content }) => content).join('\n\n');
  return { block, text: cutText(text, turnName(run, block, `${frame} ${block}#${visit}.${attempt}`)) };
}
