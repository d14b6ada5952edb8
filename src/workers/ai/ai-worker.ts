import type { AiOrder, AiReply, AiService, CallPlace } from '#protocol/ai-service.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { JsonObject } from '#protocol/json.ts';
import { chatOf, type Prompt } from '#protocol/prompt.ts';
import type { Services } from '#protocol/services.ts';
import type { BlockMemory, SystemMetadata, Worker, WorkerResult } from '#protocol/worker.ts';
import { type AnswerRules, readAnswer } from '../read-answer.ts';
import { type AiSettings, readSettings } from './read-settings.ts';
import { renderPrompt } from './render-prompt.ts';
import { tellTokens } from './tell-tokens.ts';

type Answered = Extract<AiReply, { ok: true }>;

const refused = (message: string): RoboSmithError => new RoboSmithError('precondition_failed', message);

/** Of the context, for the answer, when nothing is said of its length. */
const ANSWER_TOKENS = 8_192;

/** What an estimate may be wrong by. */
const MARGIN = 0.9;

/** Tokens that a prompt may have; null: nobody knows what the model takes. */
async function promptLimit(ai: AiService, settings: AiSettings): Promise<number | null> {
  const context = settings.contextTokens ?? (await ai.contextTokens(settings.request));
  if (context === null) return null;
  const answer = Math.min(settings.request.maxOutputTokens ?? ANSWER_TOKENS, Math.floor(context / 2));
  return Math.floor((context - answer) * MARGIN);
}

function placeOf({ run, session, node, block, visit, attempt, step }: SystemMetadata): CallPlace {
  return { run, session, node, block, visit, attempt, step };
}

function orderOf(
  settings: AiSettings,
  prompt: Prompt,
  system: SystemMetadata,
  validation: AnswerRules['validation'],
): AiOrder {
  return {
    conversation: `${system.session ?? system.run}/${system.block}`,
    pool: settings.pool,
    place: placeOf(system),
    request: { ...settings.request, ...chatOf(prompt.segments) },
    prompt,
    ...(validation === null ? {} : { rules: validation }),
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

/** Why an answer may lack what it should have. */
const ENDS: Readonly<Record<Answered['finish'], string | null>> = {
  stop: null,
  other: null,
  length: 'the answer was cut off at its limit of tokens',
  content_filter: "the provider's content filter ended the answer",
  interrupted: 'the answer broke off',
};

/** The answer says which call it came from: so a later prompt knows whose turn it was. */
function resultOf(
  reply: Answered,
  { request: { provider, model }, prompt }: AiOrder,
  rules: AnswerRules,
): WorkerResult {
  const { text, finish, call } = reply;
  const { append = [], answerProblem, ...result } = readAnswer(text, rules);
  const [answer, ...others] = append;
  const problem = [answerProblem, answerProblem === undefined ? null : ENDS[finish]].flatMap((one) => one ?? []);
  return {
    ...result,
    append: answer === undefined ? others : [{ ...answer, meta: { call, provider, model, finish } }, ...others],
    ...(problem.length === 0 ? {} : { answerProblem: problem.join('; ') }),
    stats: usageStats(reply, prompt),
  };
}

function reachable(worker: string, ai: Services['ai']): AiService {
  if (ai === undefined || ai === null) throw refused(`${worker}: no model can be called here`);
  return ai;
}

/** What would be sent to which model, to the letter; nothing is sent. Throws what the block is refused with. */
export async function prepareOrder(
  memory: BlockMemory,
  { definition, block, ai }: Pick<Services, 'definition' | 'block' | 'ai'>,
  validation: AnswerRules['validation'],
): Promise<AiOrder> {
  if (definition === null) throw refused(`${block.worker} is not defined in the manifest`);
  const reached = reachable(definition.name, ai);
  const settings = readSettings(definition, block);
  const rendered = renderPrompt(memory, validation, await promptLimit(reached, settings));
  if (!rendered.ok)
    throw refused(
      `${definition.name}: the contract and the newest segment have about ${rendered.needed} tokens, and ${settings.request.model} takes ${rendered.limit} of a prompt: nothing was sent`,
    );
  return orderOf(settings, rendered.prompt, memory.system, validation);
}

/** Asks a model: memory to prompt, answer to signal (spec/workers.md "AI workers"). */
export const aiWorker = (rules: AnswerRules): Worker => ({
  sideEffects: 'none',
  execute: async (memory, services, signal) => {
    const order = await prepareOrder(memory, services, rules.validation);
    const { ai, clock, progress, definition, block } = services;
    const tell = tellTokens(progress, clock.now, signal);
    const reply = await reachable(definition?.name ?? block.worker, ai).call(order, signal, tell);
    if (!reply.ok) throw new RoboSmithError('ai_failed', reply.message, { kind: reply.kind, call: reply.call });
    return resultOf(reply, order, rules);
  },
});
