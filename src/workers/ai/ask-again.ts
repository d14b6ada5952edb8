import type { GraphBlock } from '#protocol/graph.ts';
import { chatOf, type Prompt, type PromptSegment } from '#protocol/prompt.ts';
import type { AiOrder } from '#protocol/ai-service.ts';
import type { WorkerResult } from '#protocol/worker.ts';
import { VALIDATION_FAIL } from '#protocol/signal.ts';
import { tokensOf } from './cut-prompt.ts';

/** Default maximum number of requests, for blocks whose policies set none. Equals the default of a `retry` policy. */
const DEFAULT_REQUESTS = 2;

/** Maximum number of requests of one execution, whatever its policy sets. */
const MOST_REQUESTS = 10;

/** Returns how many requests one execution may send to get an answer with valid data, including the first. */
export function mostRequests({ answer, recovery }: Pick<GraphBlock, 'answer' | 'recovery'>): number {
  if (answer === undefined) return 1;
  const policies = recovery['worker_contract_violation'] ?? recovery['*'] ?? [];
  const retry = policies.find(({ policy }) => policy === 'retry');
  const wanted = retry?.policy === 'retry' ? retry.maxAttempts : DEFAULT_REQUESTS;
  return Math.min(wanted, MOST_REQUESTS);
}

/** The name of the segment that asks for the answer again. */
const ASKED_AGAIN = 'asked again';

/** Returns the number of requests that a prompt contains, including the first. */
export const timesAsked = ({ segments }: Prompt): number =>
  1 + segments.filter(({ name }) => name === ASKED_AGAIN).length;

/** Returns the problem with the data of an answer, or null if there is none. */
export const dataProblem = ({ signal, answerProblem }: WorkerResult): string | null =>
  signal === VALIDATION_FAIL ? (answerProblem ?? 'it does not fit its schema') : null;

const segment = (name: string, role: PromptSegment['role'], text: string): PromptSegment => ({
  layer: 1,
  name,
  role,
  text,
  tokens: tokensOf(text),
});

/** Returns the prompt segment that asks the model to repeat its answer with valid data. */
export const askAgain = (problem: string): PromptSegment =>
  segment(
    ASKED_AGAIN,
    'user',
    `The data of your answer is not valid:\n${problem}\n\nGive your whole answer again, with the same verdict and with data that fits the schema.`,
  );

/** Adds an answer and the request for a better one to a prompt. */
export function withRepair({ segments, cut, tokens }: Prompt, said: string, problem: string): Prompt {
  const added = [segment('answer', 'assistant', said), askAgain(problem)];
  const [first, ...others] = tokens;
  return {
    segments: [...segments, ...added],
    cut,
    tokens: [first + added.reduce((sum, one) => sum + one.tokens, 0), ...others],
  };
}

/** Returns the order that continues a conversation after an answer without valid data. */
export function orderAgain(order: AiOrder, said: string, problem: string): AiOrder {
  const prompt = withRepair(order.prompt, said, problem);
  return { ...order, prompt, request: { ...order.request, ...chatOf(prompt.segments) } };
}
