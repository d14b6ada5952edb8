import type { AiOrder } from '#protocol/ai-service.ts';
import { RoboSmithError } from '#protocol/error.ts';
import { estimateTokens } from '#protocol/estimate-tokens.ts';
import type { Graph, WorkerDefinition } from '#protocol/graph.ts';
import { chatOf, type PromptSegment } from '#protocol/prompt.ts';
import { readSettings } from '#workers/index.ts';

/** A question of a person about a piece of a file. */
interface CodeQuestion {
  readonly question: string;
  /** Relative to the project, with `/`. */
  readonly path: string;
  readonly selection: string;
  /** Text around the selection, for understanding only. */
  readonly before: string;
  readonly after: string;
  /** The AI worker whose model answers; null: the first one of the manifest. */
  readonly worker: string | null;
}

const TASK = `You help a programmer with one selected piece of code.
Explain in a few sentences what is wrong or what you change.
Then give the new text of the whole selection in one fenced code block, with its indentation.
Change nothing outside the selection. If nothing needs to change, give no code block.`;

function workerFor({ workers }: Pick<Graph, 'workers'>, name: string | null): WorkerDefinition {
  const models = workers.filter(({ kind }) => kind === 'ai');
  const found = name === null ? models[0] : models.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw new RoboSmithError(
    'precondition_failed',
    name === null
      ? 'No worker of the manifest is a model: declare one with "kind": "ai" under "workers".'
      : `The manifest has no AI worker "${name}". Those that it has: ${models.map((one) => one.name).join(', ') || 'none'}.`,
    { next: ['robosmith validate'] },
  );
}

const segment = (layer: PromptSegment['layer'], name: string, role: PromptSegment['role'], text: string) => ({
  layer,
  name,
  role,
  text,
  tokens: estimateTokens(text),
});

/**
 * Converts a question to a model call that belongs to no run and has its own conversation. Throws
 * `precondition_failed`.
 */
export function questionOrder(graph: Pick<Graph, 'workers'>, asked: CodeQuestion): AiOrder {
  const definition = workerFor(graph, asked.worker);
  const { request, pool } = readSettings(definition, { params: {}, validation: null });
  const { path, before, selection, after, question } = asked;
  const segments: readonly PromptSegment[] = [
    segment(2, 'quick-fix', 'system', TASK),
    segment(4, path, 'user', `File ${path}\n\nBefore the selection:\n${before}\n\nAfter the selection:\n${after}`),
    segment(5, 'selection', 'user', `The selection:\n${selection}`),
    segment(1, 'question', 'user', question),
  ];
  const sum = (layer: number): number => segments.reduce((all, one) => all + (one.layer === layer ? one.tokens : 0), 0);
  return {
    conversation: `quick-fix/${path}`,
    pool,
    place: {
      run: null,
      session: null,
      task: null,
      node: null,
      block: null,
      visit: null,
      attempt: null,
      step: null,
    },
    request: { ...request, ...chatOf(segments) },
    prompt: { segments, cut: [], tokens: [sum(1), sum(2), sum(3), sum(4), sum(5)] },
  };
}
