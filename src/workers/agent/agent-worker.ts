import type { AgentService, GuardReport } from '#protocol/agent.ts';
import type { Approvals } from '#protocol/approvals.ts';
import type { Prompt } from '#protocol/prompt.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Services } from '#protocol/services.ts';
import { ERROR, FAILURE } from '#protocol/signal.ts';
import { sumUsage } from '#protocol/sum-usage.ts';
import type { BlockMemory, Worker, WorkerResult } from '#protocol/worker.ts';
import { dataProblem, mostRequests } from '../ai/ask-again.ts';
import { type AnswerRules, readAnswer } from '../ai/read-answer.ts';
import { promptText } from './agent-prompt.ts';
import { converse, type ConversationResult } from './converse.ts';
import { judgeEnd, type Verdict } from './judge-end.ts';
import {
  conversationOf,
  nameOf,
  type ConversationPlan,
  planAgain,
  planAnew,
  planConversation,
} from './plan-conversation.ts';
import { type AgentSettings, readAgentSettings } from './read-agent-settings.ts';
import { trespassSegment, trespassText, workSegment } from './trespass-text.ts';

const refused = (message: string): RoboSmithError => new RoboSmithError('precondition_failed', message);

type Able = Services & { readonly agents: AgentService & { readonly most: Approvals } };

interface Scene {
  readonly memory: BlockMemory;
  readonly services: Able;
  readonly settings: AgentSettings;
  readonly worktree: string;
  readonly signal: AbortSignal;
  readonly redact: (text: string) => string;
}

interface Call {
  readonly call: string;
  readonly plan: ConversationPlan;
  readonly talked: ConversationResult;
  readonly verdict: Verdict;
  readonly costMicroUsd: number | null;
  /** Number of agent calls over which usage, cost and activity are summed. */
  readonly calls: number;
}

/**
 * Classifies how the agent ended. An agent that was aborted or idle has failed, even if it had already written an
 * answer.
 */
function verdictOf(
  { settings, services, signal, redact }: Scene,
  plan: ConversationPlan,
  talked: ConversationResult,
): Verdict {
  if (signal.aborted) return { kind: 'failed', message: 'it was stopped' };
  if (talked.wasIdle)
    return { kind: 'failed', message: `it wrote no output for ${settings.idleMs} ms, and was stopped` };
  const { reported, result, errors } = talked;
  const ended = { ...result, output: redact(result.output) };
  const preset = settings.preset?.name ?? null;
  return judgeEnd({
    reported,
    result: ended,
    errors,
    resumed: plan.resume !== null,
    preset,
    now: services.clock.now(),
  });
}

const outcomeOf = (verdict: Verdict, { result, wasIdle }: ConversationResult, { aborted }: AbortSignal): string =>
  result.ended === 'not_started' ? 'not_started' : aborted ? 'aborted' : wasIdle ? 'timeout' : verdict.kind;

/**
 * Returns the prompt as it is sent and logged, with secrets replaced. Warns the user about the segments that contained
 * a secret.
 */
function redactPrompt(prompt: Prompt, { services, redact }: Scene): Prompt {
  const segments = prompt.segments.map((segment) => ({ ...segment, text: redact(segment.text) }));
  const changed = segments.filter(({ text }, index) => text !== prompt.segments[index]?.text);
  if (changed.length === 0) return prompt;
  const where = changed.map(({ name }) => name).join(', ');
  services.agents.warn(`${services.block.id}: the prompt contained a secret in ${where}; it was replaced by [key].`);
  return { ...prompt, segments };
}

/** Runs the agent once and records the call in the call log. */
async function talk(scene: Scene, plan: ConversationPlan): Promise<Call> {
  const { memory, services, settings, worktree, signal, redact } = scene;
  const { preset, command, args, model, approvals, env, idleMs } = settings;
  const prompt = redactPrompt(plan.prompt, scene);
  const { run, session, task, node, block, visit, attempt, step } = memory.system;
  const open = services.agents.begin({
    conversation: plan.conversation,
    visit: step,
    seen: plan.seen,
    prompt,
    resumed: plan.resume,
    place: { run, session, task, node, block, visit, attempt, step },
    agent: nameOf(settings),
    provider: preset?.provider ?? 'openai-compatible',
    model,
    approvals,
  });
  const analysis = settings.hasAnalysis ? await services.agents.analysisServer(worktree) : null;
  const flags = preset?.argv({ approvals, model, args, resume: plan.resume, folder: worktree, analysis }) ?? args;
  const talked = await converse(
    {
      preset,
      idleMs,
      redact,
      onSession: open.heard,
      frame: memory.system.frame,
      request: {
        argv: [...command, ...flags],
        cwd: worktree,
        input: promptText(prompt),
        envNames: [...(preset?.env ?? []), ...env],
        env: { ...preset?.set, ROBOSMITH_APPROVALS: approvals },
        ...(preset === null ? {} : { stderr: 'apart' as const }),
      },
    },
    services,
    signal,
  );
  const verdict = verdictOf(scene, plan, talked);
  const { reported, result, raw, firstTextMs } = talked;
  const { costMicroUsd } = await open.end({
    outcome: outcomeOf(verdict, talked, signal),
    text: verdict.kind === 'ok' ? verdict.text : null,
    finish: reported.finish,
    model: reported.model,
    usage: reported.usage,
    costMicroUsd: reported.costMicroUsd,
    exitCode: result.exitCode,
    error: verdict.kind === 'ok' ? null : verdict.message,
    raw,
    firstTextMs,
  });
  return { call: open.call, plan, talked, verdict, costMicroUsd, calls: 1 };
}

/**
 * Resumes the agent's conversation. If the agent no longer has the conversation, sends the full prompt in a new one.
 */
async function talkOrBeginAnew(scene: Scene, rules: AnswerRules): Promise<Call> {
  const { memory, services, settings } = scene;
  const first = await talk(scene, planConversation(memory, rules, settings, services));
  if (first.verdict.kind !== 'no_conversation') return first;
  return talk(scene, planAnew(memory, rules, settings, services));
}

/** Returns a call with the usage, cost and activity of an earlier call of the same execution added. */
function after(before: Call, call: Call): Call {
  const [one, other] = [before.talked.reported, call.talked.reported];
  const costs = [before.costMicroUsd, call.costMicroUsd];
  return {
    ...call,
    calls: before.calls + call.calls,
    costMicroUsd: costs.reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost)) ?? null,
    talked: {
      ...call.talked,
      firstTextMs: before.talked.firstTextMs ?? call.talked.firstTextMs,
      reported: {
        ...other,
        session: other.session ?? one.session,
        usage: sumUsage(one.usage, other.usage),
        denied: one.denied + other.denied,
        activity: [...one.activity, ...other.activity],
      },
    },
  };
}

/** Repeats the request while the answer's data is invalid, in the same conversation if the agent has one. */
async function talkUntilValid(scene: Scene, rules: AnswerRules): Promise<Call> {
  const { services, settings, redact } = scene;
  let call = await talkOrBeginAnew(scene, rules);
  const first = call.plan;
  const most = mostRequests(services.block);
  for (let times = 1; times < most && call.verdict.kind === 'ok'; times += 1) {
    const said = redact(call.verdict.text);
    const problem = dataProblem(readAnswer(said, rules));
    if (problem === null) break;
    const session = settings.preset === null ? null : call.talked.reported.session;
    const next = await talk(scene, planAgain(first, session, said, problem));
    const isLost = next.verdict.kind === 'no_conversation';
    call = after(call, isLost ? await talk(scene, planAgain(first, null, said, problem)) : next);
  }
  return call;
}

const notFound = ({ settings }: Scene, error: string | null): WorkerResult => ({
  signal: ERROR,
  append: [
    {
      type: 'AGENT_ERROR',
      content: [
        `${settings.command[0]} did not start: ${error ?? 'unknown reason'}.`,
        ...(settings.preset === null ? [] : [`To install it: ${settings.preset.install}`]),
        '`robosmith doctor` shows which agents are installed.',
      ].join('\n'),
    },
  ],
});

/**
 * Returns the usage of a failed call, for the data of the error. Tokens are null if the agent wrote text but reported
 * no usage. The result is empty if the agent wrote no text and reported no usage.
 */
function usedBy({ reported, firstTextMs }: ConversationResult, costMicroUsd: number | null): JsonObject {
  const { usage } = reported;
  if (usage === null && firstTextMs === null) return {};
  return { tokens_used: usage === null ? null : { ...usage }, cost_micro_usd: costMicroUsd };
}

/**
 * Converts a failed call into an error. For usage limits, missing logins and missing credit the error is `waits`, so
 * that the run halts; for all other failures it is `ai_failed`.
 */
function troubleOf(
  { settings }: Scene,
  { call, talked, costMicroUsd }: Call,
  verdict: Exclude<Verdict, { kind: 'ok' }>,
  more: string | null,
): RoboSmithError {
  const name = nameOf(settings);
  const message = [`${name}: ${verdict.message}`, ...(more === null ? [] : [more])].join('\n');
  const used = usedBy(talked, costMicroUsd);
  switch (verdict.kind) {
    case 'limited':
      return new RoboSmithError('waits', message, { why: 'quota', until: verdict.until, ...used });
    case 'not_logged_in':
      return new RoboSmithError(
        'waits',
        `${name} is not logged in: ${settings.preset?.login ?? 'log in'}\n${message}`,
        {
          why: 'keys',
          until: null,
          ...used,
        },
      );
    case 'no_money':
      return new RoboSmithError('waits', message, { why: 'keys', until: null, ...used });
    case 'no_conversation':
    case 'failed':
      return new RoboSmithError('ai_failed', message, {
        kind: talked.wasIdle ? 'timeout' : verdict.kind,
        call,
        ...used,
      });
  }
}

const statsOf = ({ settings }: Scene, { call, talked, plan, costMicroUsd, calls }: Call): JsonObject => ({
  calls,
  call,
  key: nameOf(settings),
  tokens_used: talked.reported.usage === null ? null : { ...talked.reported.usage },
  cost_micro_usd: costMicroUsd,
  prompt_tokens: plan.prompt.tokens,
});

function resultOf(scene: Scene, call: Call, text: string, report: GuardReport, rules: AnswerRules): WorkerResult {
  const { reported, log } = call.talked;
  const { settings } = scene;
  const { append = [], answerProblem, ...result } = readAnswer(text, rules);
  const [answer, ...others] = append;
  const { model, finish, session, denied } = reported;
  const meta = { call: call.call, agent: nameOf(settings), model: model ?? settings.model, finish, session };
  const work = workSegment(report, reported.activity, { approvals: settings.approvals, denied, ...log });
  const broken = trespassText(report);
  return {
    ...result,
    signal: broken === null ? result.signal : FAILURE,
    append: [
      ...(work === null ? [] : [work]),
      ...(answer === undefined ? [] : [{ ...answer, meta }]),
      ...others,
      ...(broken === null ? [] : [trespassSegment(report, broken)]),
    ],
    ...(answerProblem === undefined || broken !== null ? {} : { answerProblem }),
    stats: statsOf(scene, call),
  };
}

function sceneOf(memory: BlockMemory, services: Services, signal: AbortSignal): Scene {
  const { agents, definition, block, processes } = services;
  const { worktree } = memory.system;
  if (definition === null) throw refused(`${block.worker} is not defined in the manifest`);
  if (agents === undefined || agents === null || processes === null || worktree === null)
    throw refused(`${definition.name}: coding agents can't be started in this run`);
  const settings = readAgentSettings(definition, block, agents.most);
  const redact = agents.redactor(settings.env);
  return { memory, services: { ...services, agents }, settings, worktree, signal, redact };
}

/**
 * Rolls back the changes that an interrupted execution made outside the block's access. After a crash, this runs before
 * any other code reads the worktree.
 */
async function endLeft({ agents, block }: Services, { system }: BlockMemory): Promise<void> {
  const left = (await agents?.guard.endLeft(system.step)) ?? null;
  const text = left === null ? null : trespassText(left);
  if (text !== null) agents?.warn(`${block.id} was interrupted. ${text}`);
}

async function execute(scene: Scene, rules: AnswerRules): Promise<WorkerResult> {
  const { memory, services, worktree, redact } = scene;
  const { guard, warn } = services.agents;
  await endLeft(services, memory);
  const watch = await guard.watch(memory.system.step, worktree, services.block.access);
  const talking = talkUntilValid(scene, rules);
  await talking.catch(() => undefined);
  const report = await watch.end();
  const call = await talking;
  const { verdict, talked } = call;
  if (talked.result.ended === 'not_started') return notFound(scene, talked.result.error);
  if (verdict.kind === 'ok') return resultOf(scene, call, redact(verdict.text), report, rules);
  const text = trespassText(report);
  if (text !== null) warn(`${services.block.id}: ${text}`);
  throw troubleOf(scene, call, verdict, text);
}

/**
 * Returns the worker that runs a coding agent in the worktree. The prompt is built from the block's memory, and the
 * signal is read from the agent's last message.
 */
export const agentWorker = (rules: AnswerRules): Worker => ({
  sideEffects: 'non_idempotent',
  execute: (memory, services, signal) => execute(sceneOf(memory, services, signal), rules),
  checkCompletion: async (memory, services) => {
    await endLeft(services, memory);
    services.agents?.last(conversationOf(memory));
    return null;
  },
});
