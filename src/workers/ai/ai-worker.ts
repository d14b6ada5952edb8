import type { AiOrder, AiReply, AiService, CallPlace, KnownAnswer } from '#protocol/ai-service.ts';
import { sumUsage, type TokenUsage } from '#protocol/ai-call.ts';
import { preconditionFailed, RoboSmithError } from '#protocol/error.ts';
import type { WorkerDefinition } from '#protocol/graph.ts';
import type { JsonObject } from '#protocol/json.ts';
import { chatOf, type Prompt } from '#protocol/prompt.ts';
import type { Services } from '#protocol/services.ts';
import type { BlockMemory, SystemMetadata, Worker, WorkerResult } from '#protocol/worker.ts';
import { type AnswerRules, readAnswer } from './read-answer.ts';
import { ANSWER_DATA } from './answer-data.ts';
import { whyNothing } from '../writing/write-access.ts';
import { whyNotWritten } from '../writing/write-files.ts';
import { dataProblem, dataRequest, filesRequest, mostRequests, orderAgain, timesAsked } from './ask-again.ts';
import { editAnswer } from './edit-answer.ts';
import { readProjectRules } from './project-rules.ts';
import { createRoutes, type OrderFor } from './call-routes.ts';
import { type AiSettings, failsIfExhausted, readRoutes } from './read-settings.ts';
import { answersWithFiles } from './prompt-pieces.ts';
import { choicesOf, renderPrompt } from './render-prompt.ts';
import { reportTokens } from './report-tokens.ts';

type Answered = Extract<AiReply, { ok: true }>;

/** Tokens of the context window that are reserved for the answer, if the worker sets no maximum. */
const ANSWER_TOKENS = 8_192;

/** The share of the available tokens that a prompt may use, since token counts are estimates. */
const MARGIN = 0.9;

/** Returns the maximum number of tokens of a prompt, or null if the model's context window is unknown. */
async function promptLimit(ai: AiService, settings: AiSettings): Promise<number | null> {
  const context = settings.contextTokens ?? (await ai.contextTokens(settings.request));
  if (context === null) return null;
  const answer = Math.min(settings.request.maxOutputTokens ?? ANSWER_TOKENS, Math.floor(context / 2));
  return Math.floor((context - answer) * MARGIN);
}

function placeOf({ run, session, task, node, block, visit, attempt, step }: SystemMetadata): CallPlace {
  return { run, session, task, node, block, visit, attempt, step };
}

function orderOf(
  settings: AiSettings,
  prompt: Prompt,
  system: SystemMetadata,
  { validation, answer = null }: PromptRules,
): AiOrder {
  const rules = answer === null ? validation : { keyword: validation?.keyword ?? null, schema: answer.schema };
  return {
    conversation: `${system.session ?? system.run}/${system.block}`,
    pool: settings.pool,
    place: placeOf(system),
    request: { ...settings.request, ...chatOf(prompt.segments) },
    prompt,
    ...(rules === null ? {} : { rules }),
  };
}

const usageStats = ({ usage, costMicroUsd, call, key }: Answered, { tokens, cut }: Prompt): JsonObject => ({
  calls: 1,
  call,
  key,
  tokens_used: { ...usage },
  cost_micro_usd: costMicroUsd,
  prompt_tokens: tokens,
  ...(cut.length === 0 ? {} : { prompt_cut: cut.map((one) => ({ ...one })) }),
});

/** Returns the cost of calls, or null if one is unknown. */
const costOf = (calls: readonly Pick<AiReply, 'costMicroUsd'>[]): number | null =>
  calls.reduce<number | null>(
    (sum, { costMicroUsd }) => (sum === null || costMicroUsd === null ? null : sum + costMicroUsd),
    0,
  );

type Paid = Pick<AiReply, 'usage' | 'costMicroUsd'>;

/** Returns the calls that have used tokens. */
const paidIn = (calls: readonly Paid[]): readonly Paid[] => calls.filter(({ usage }) => usage !== null);

const usageOf = (calls: readonly Pick<AiReply, 'usage'>[]): TokenUsage | null =>
  calls.reduce<TokenUsage | null>((sum, { usage }) => sumUsage(sum, usage), null);

/**
 * Returns the error of a failed call with the usage of all its attempts and of the calls before it, so that the run's
 * cost includes them.
 */
function failed(reply: Extract<AiReply, { ok: false }>, before: readonly Paid[]): RoboSmithError {
  const { kind, call, message } = reply;
  const paid = paidIn([...before, reply]);
  const usage = usageOf(paid);
  return new RoboSmithError('ai_failed', message, {
    kind,
    call,
    ...(usage === null ? {} : { tokens_used: { ...usage }, cost_micro_usd: costOf(paid) }),
  });
}

/** Maps how an answer finished to the reason why it is incomplete, or to null if it is complete. */
const ENDS: Readonly<Record<Answered['finish'], string | null>> = {
  stop: null,
  other: null,
  tool_calls: null,
  length: 'the answer was cut off at its token limit',
  content_filter: "the provider's content filter ended the answer",
  interrupted: 'the answer ended early',
};

/**
 * Converts an answer to a worker result. The segment's `meta` has the id of the call, so that later prompts can present
 * the answer as the model's own turn.
 */
function saidBy({ reply, prompt }: KnownAnswer, { request: { provider, model } }: AiSettings, rules: AnswerRules) {
  const { text, finish, call } = reply;
  const { append = [], answerProblem, ...result } = readAnswer(text, rules);
  const [answer, ...others] = append;
  const problem = [answerProblem, answerProblem === undefined ? null : ENDS[finish]].flatMap((one) => one ?? []);
  return {
    ...result,
    append: answer === undefined ? others : [{ ...answer, meta: { call, provider, model, finish } }, ...others],
    ...(problem.length === 0 ? {} : { answerProblem: problem.join('; ') }),
    stats: usageStats(reply, prompt),
  } satisfies WorkerResult;
}

function resultOf(
  answer: KnownAnswer,
  settings: AiSettings,
  rules: AnswerRules,
  services: Services,
): Promise<WorkerResult> | WorkerResult {
  const { text, finish } = answer.reply;
  const { edits } = rules;
  const said = saidBy(answer, settings, rules);
  return edits === null ? said : editAnswer({ text, said, cutOff: ENDS[finish] }, edits, services);
}

/** A request, its answer, the worker result of the answer, and all replies of the conversation up to it. */
interface AnsweredRequest {
  readonly order: AiOrder;
  readonly text: string;
  readonly replies: readonly Paid[];
  readonly result: WorkerResult;
}

/** Returns a request with the same prompt, addressed to another model. */
const onRoute = (order: AiOrder, { request, pool }: AiSettings): AiOrder => ({
  ...order,
  pool,
  request: { ...request, ...chatOf(order.prompt.segments) },
});

/**
 * Returns the request for a better answer: if its data is invalid, or if the block that runs next would write none of
 * its files. Returns null if the answer can be used.
 */
async function requestAgain(
  text: string,
  result: WorkerResult,
  { writer = null, ...rules }: AnswerRules,
  files: Services['files'],
): Promise<string | null> {
  const problem = dataProblem(result);
  if (problem !== null) return dataRequest(problem);
  const isNext = writer?.signals.has(result.signal) === true;
  if (!isNext || !answersWithFiles({ ...rules, writer })) return null;
  const data = result.append?.find(({ type }) => type === ANSWER_DATA)?.content ?? null;
  const why = await whyNotWritten({ text, data }, writer.block, files);
  return why === null ? null : filesRequest(why);
}

/** Repeats the request while the answer can't be used. `most` is the maximum number of requests, including the first. */
async function askUntilValid(
  first: AnsweredRequest,
  most: number,
  whyAgain: (answered: AnsweredRequest) => Promise<string | null>,
  ask: (orderFor: OrderFor, before: readonly Paid[]) => Promise<AnsweredRequest>,
): Promise<WorkerResult> {
  let asked = first;
  for (let times = 1; times < most; times += 1) {
    const request = await whyAgain(asked);
    if (request === null) break;
    const again = orderAgain(asked.order, asked.text, request);
    asked = await ask((settings) => Promise.resolve(onRoute(again, settings)), asked.replies);
  }
  const { replies, result } = asked;
  if (replies.length === 1) return result;
  const paid = paidIn(replies);
  const sum = { calls: replies.length, tokens_used: { ...usageOf(paid) }, cost_micro_usd: costOf(paid) };
  return { ...result, stats: { ...result.stats, ...sum } };
}

type PromptRules = Pick<AnswerRules, 'validation' | 'edits' | 'answer' | 'writer'>;

interface Reached {
  readonly ai: AiService;
  readonly definition: WorkerDefinition;
  /** The settings of the worker's own model, and of its alternatives. */
  readonly routes: readonly [AiSettings, ...AiSettings[]];
}

/**
 * Checks the conditions of a call before anything is sent. Throws `precondition_failed` if no model can be called, or
 * if the answer consists of edits and the block may not write.
 */
function reach({ ai, definition, block, files }: Services, { edits }: PromptRules): Reached {
  const name = definition?.name ?? 'an AI worker';
  if (ai === undefined || ai === null) throw preconditionFailed(`${name}: models can't be called in this run`);
  if (definition === null) throw preconditionFailed(`${block.worker} is not defined in the manifest`);
  if (edits !== null && files === null)
    throw preconditionFailed("this run can't use files, because it has no directory to work in");
  const nothing = edits === null ? null : whyNothing(block.access);
  if (nothing !== null)
    throw preconditionFailed(`${block.id} answers with edits, but may not write any file: ${nothing}`);
  return { ai, definition, routes: readRoutes(definition, block) };
}

/**
 * Returns exactly what would be sent to the model, without sending it. Throws the error that a call of this block would
 * fail with.
 */
export async function prepareOrder(memory: BlockMemory, services: Services, rules: PromptRules): Promise<AiOrder> {
  const reached = reach(services, rules);
  const order = await preparedFor(memory, services, rules, reached)(reached.routes[0]);
  if (order instanceof RoboSmithError) throw order;
  return order;
}

/**
 * Returns a function that builds the request for a model, or returns the error if the prompt can't be shortened enough.
 */
const preparedFor =
  (memory: BlockMemory, services: Services, rules: PromptRules, { ai, definition }: Reached): OrderFor =>
  async (settings) => {
    const projectRules = await readProjectRules(definition, services);
    const form = { ...rules, ...choicesOf(services.block), projectRules };
    const rendered = renderPrompt(memory, form, await promptLimit(ai, settings));
    if (rendered.ok) return orderOf(settings, rendered.prompt, memory.system, rules);
    return preconditionFailed(
      `${definition.name}: the contract and the newest segment have about ${rendered.needed} tokens, but the prompt limit of ${settings.request.model} is ${rendered.limit}; nothing was sent`,
    );
  };

/**
 * Returns the worker that calls a model. The prompt is built from the block's memory, and the signal is read from the
 * answer.
 */
export const aiWorker = (rules: AnswerRules): Worker => ({
  sideEffects: 'none',
  execute: async (memory, services, signal) => {
    const reached = reach(services, rules);
    const { ai, definition, routes } = reached;
    const onText = reportTokens(services.progress, services.clock.now, signal);
    const call = createRoutes({ ai, routes, failsIfExhausted: failsIfExhausted(definition), signal, onText });
    const ask = async (orderFor: OrderFor, before: readonly Paid[]): Promise<AnsweredRequest> => {
      const { order, settings, reply, unused } = await call(orderFor);
      const replies = [...before, ...unused];
      if (!reply.ok) throw failed(reply, replies);
      // Edits of an aborted run must not be applied.
      signal.throwIfAborted();
      const result = await resultOf({ reply, prompt: order.prompt }, settings, rules, services);
      return { order, text: reply.text, replies: [...replies, reply], result };
    };
    const first = await ask(preparedFor(memory, services, rules, reached), []);
    const most = mostRequests(services.block, (rules.writer ?? null) !== null);
    return askUntilValid(first, most, ({ text, result }) => requestAgain(text, result, rules, services.files), ask);
  },
  /**
   * Uses an answer that arrived before a crash, so that it is not paid for twice. Applies the edits in it unless they
   * have already been applied. Does not use an answer that must be given again if another request is still allowed.
   */
  checkCompletion: async (memory, services) => {
    const {
      ai,
      routes: [settings],
    } = reach(services, rules);
    const known = (await ai.known?.(placeOf(memory.system))) ?? null;
    if (known === null) return null;
    const result = await resultOf(known, settings, rules, services);
    if (timesAsked(known.prompt) >= mostRequests(services.block, (rules.writer ?? null) !== null)) return result;
    const again = await requestAgain(known.reply.text, result, rules, services.files);
    return again === null ? result : { kind: 'not_done' };
  },
});
