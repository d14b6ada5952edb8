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

/**
 * Returns how many requests one execution may send to get an answer with valid data, or with files that can be written,
 * including the first.
 */
export function mostRequests(
  { answer, recovery }: Pick<GraphBlock, 'answer' | 'recovery'>,
  writesFiles = false,
): number {
  if (answer === undefined && !writesFiles) return 1;
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

/** The request for a better answer that has valid data. */
export const dataRequest = (problem: string): string =>
  `The data of your answer is not valid:\n${problem}\n\nGive your whole answer again, with the same verdict and with data that fits the schema.`;

/** The request for a better answer whose files can be written. `problem` includes the form to use. */
export const filesRequest = (problem: string): string =>
  `No file of your answer was written:\n${problem}\n\nGive your whole answer again in this form, with all of its files.`;

/** Returns the prompt segment with a request to repeat an answer. */
export const askAgain = (request: string): PromptSegment => segment(ASKED_AGAIN, 'user', request);

/** Adds an answer and the request for a better one to a prompt. */
export function withRepair({ segments, cut, tokens }: Prompt, said: string, request: string): Prompt {
  const added = [segment('answer', 'assistant', said), askAgain(request)];
  const [first, ...others] = tokens;
  return {
    segments: [...segments, ...added],
    cut,
    tokens: [first + added.reduce((sum, one) => sum + one.tokens, 0), ...others],
  };
}

/** Returns the order that continues a conversation after an answer that can't be used. */
export function orderAgain(order: AiOrder, said: string, request: string): AiOrder {
  const prompt = withRepair(order.prompt, said, request);
  return { ...order, prompt, request: { ...order.request, ...chatOf(prompt.segments) } };
}
