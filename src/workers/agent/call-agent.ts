import type { AgentService } from '#protocol/agent.ts';
import type { Approvals } from '#protocol/approvals.ts';
import type { Prompt } from '#protocol/prompt.ts';
import type { ProcessRequest, Services } from '#protocol/services.ts';
import { sumUsage } from '#protocol/ai-call.ts';
import type { BlockMemory } from '#protocol/worker.ts';
import { dataProblem, mostRequests } from '../ai/ask-again.ts';
import { type ProjectRules, readProjectRules } from '../ai/project-rules.ts';
import { type AnswerRules, readAnswer } from '../ai/read-answer.ts';
import { AGENT_VARIABLES, agentEnvironment } from './agent-variables.ts';
import { promptText } from './agent-prompt.ts';
import { converse, type ConversationResult } from './converse.ts';
import { judgeEnd, type AgentEnding } from './judge-end.ts';
import { nameOf, type ConversationPlan, planAgain, planAnew, planConversation } from './plan-conversation.ts';
import type { AgentSettings } from './read-agent-settings.ts';

type AgentServices = Services & { readonly agents: AgentService & { readonly most: Approvals } };

/** One execution of a block by a coding agent. */
export interface AgentExecution {
  readonly memory: BlockMemory;
  readonly services: AgentServices;
  readonly settings: AgentSettings;
  readonly worktree: string;
  readonly signal: AbortSignal;
  readonly redact: (text: string) => string;
}

/** A call of the agent that has ended. */
export interface FinishedCall {
  readonly call: string;
  readonly plan: ConversationPlan;
  readonly conversation: ConversationResult;
  readonly verdict: AgentEnding;
  readonly costMicroUsd: number | null;
  /** Number of agent calls over which usage, cost and activity are summed. */
  readonly calls: number;
}

/**
 * Classifies how the agent ended. An agent that was aborted or idle has failed, even if it had already written an
 * answer.
 */
function verdictOf(
  { settings, services, signal, redact }: AgentExecution,
  plan: ConversationPlan,
  conversation: ConversationResult,
): AgentEnding {
  if (signal.aborted) return { kind: 'failed', message: 'it was stopped' };
  const { reported, result, errors, dropped } = conversation;
  if (conversation.wasIdle && !reported.isOver)
    return { kind: 'failed', message: `it wrote no output for ${settings.idleMs} ms, and was stopped` };
  const ended = { ...result, output: redact(result.output) };
  const preset = settings.preset?.name ?? null;
  return judgeEnd({
    reported,
    result: ended,
    errors,
    dropped,
    resumed: plan.resume !== null,
    expected: new Set(Object.keys(settings.signals ?? {})),
    preset,
    now: services.clock.now(),
  });
}

function outcomeOf(verdict: AgentEnding, { result, wasIdle }: ConversationResult, { aborted }: AbortSignal): string {
  if (result.ended === 'not_started') return 'not_started';
  if (aborted) return 'aborted';
  return wasIdle && verdict.kind === 'failed' ? 'timeout' : verdict.kind;
}

/**
 * Returns the prompt as it is sent and logged, with secrets replaced. Warns the user about the segments that contained
 * a secret.
 */
function redactPrompt(prompt: Prompt, { services, redact }: AgentExecution): Prompt {
  const segments = prompt.segments.map((segment) => ({ ...segment, text: redact(segment.text) }));
  const changed = segments.filter(({ text }, index) => text !== prompt.segments[index]?.text);
  if (changed.length === 0) return prompt;
  const where = changed.map(({ name }) => name).join(', ');
  services.agents.warn(`${services.block.id}: the prompt contained a secret in ${where}; it was replaced by [key].`);
  return { ...prompt, segments };
}

/** Returns the environment of the agent: that of its preset, or only what the manifest names. */
async function environmentFor({
  services,
  settings: { preset, env },
  worktree,
}: AgentExecution): Promise<Pick<ProcessRequest, 'env' | 'envNames' | 'envDefaults'>> {
  if (preset === null) return { envNames: env };
  const files = await services.agents.projectVariables(worktree, AGENT_VARIABLES[preset.name]);
  return agentEnvironment(preset.name, env, files);
}

/** Runs the agent once and records the call in the call log. */
async function callAgent(execution: AgentExecution, plan: ConversationPlan): Promise<FinishedCall> {
  const { memory, services, settings, worktree, signal, redact } = execution;
  const { preset, command, args, model, approvals, idleMs } = settings;
  const prompt = redactPrompt(plan.prompt, execution);
  const { run, session, task, node, block, visit, attempt, step } = memory.system;
  const environment = await environmentFor(execution);
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
  const ownSandbox =
    settings.sandbox === 'own'
      ? { places: await services.agents.privatePlaces(worktree), hosts: settings.hosts }
      : null;
  const asked = { approvals, model, args, resume: plan.resume, folder: worktree, analysis, ownSandbox };
  const flags = preset?.argv(asked) ?? args;
  const conversation = await converse(
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
        ...environment,
        env: { ...environment.env, ROBOSMITH_APPROVALS: approvals },
        ...(preset === null ? {} : { stderr: 'apart' as const }),
        ...(settings.sandbox === 'wrapper'
          ? { sandbox: { network: true, state: settings.state, settings: preset?.settings ?? [] } }
          : {}),
      },
    },
    services,
    signal,
  );
  const verdict = verdictOf(execution, plan, conversation);
  const { reported, result, raw, firstTextMs } = conversation;
  const { costMicroUsd, usage } = await open.end({
    outcome: outcomeOf(verdict, conversation, signal),
    text: verdict.kind === 'ok' ? verdict.text : null,
    finish: reported.finish,
    model: reported.model,
    usage: reported.usage,
    costMicroUsd: reported.costMicroUsd,
    ...(preset === null ? {} : { cumulative: preset.cumulative }),
    exitCode: result.exitCode,
    error: verdict.kind === 'ok' ? null : verdict.message,
    raw,
    firstTextMs,
  });
  const own: ConversationResult = { ...conversation, reported: { ...reported, usage } };
  return { call: open.call, plan, conversation: own, verdict, costMicroUsd, calls: 1 };
}

/** Returns the project's rules, unless the agent reads a file with rules for it by itself. */
async function rulesFor({ services, settings }: AgentExecution): Promise<ProjectRules | null> {
  const { definition, files } = services;
  const own = settings.preset?.ownRules ?? null;
  const text = own === null || files === null ? null : await files.read(own).catch(() => null);
  return definition === null || text !== null ? null : readProjectRules(definition, services);
}

/**
 * Resumes the agent's conversation. If the agent no longer has the conversation, sends the full prompt in a new one.
 */
async function callOrBeginAnew(execution: AgentExecution, answerRules: AnswerRules): Promise<FinishedCall> {
  const { memory, services, settings } = execution;
  const rules = { ...answerRules, projectRules: await rulesFor(execution) };
  const first = await callAgent(execution, planConversation(memory, rules, settings, services));
  if (first.verdict.kind !== 'no_conversation') return first;
  return callAgent(execution, planAnew(memory, rules, settings, services));
}

/** Returns a call with the usage, cost and activity of an earlier call of the same execution added. */
function addedTo(before: FinishedCall, call: FinishedCall): FinishedCall {
  const [one, other] = [before.conversation.reported, call.conversation.reported];
  const costs = [before.costMicroUsd, call.costMicroUsd];
  return {
    ...call,
    calls: before.calls + call.calls,
    costMicroUsd: costs.reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost)) ?? null,
    conversation: {
      ...call.conversation,
      firstTextMs: before.conversation.firstTextMs ?? call.conversation.firstTextMs,
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
export async function callUntilValid(execution: AgentExecution, rules: AnswerRules): Promise<FinishedCall> {
  const { services, settings, redact } = execution;
  let call = await callOrBeginAnew(execution, rules);
  const first = call.plan;
  const most = mostRequests(services.block);
  for (let times = 1; times < most && call.verdict.kind === 'ok'; times += 1) {
    const said = redact(call.verdict.text);
    const problem = dataProblem(readAnswer(said, rules));
    if (problem === null) break;
    const session = settings.preset === null ? null : call.conversation.reported.session;
    const next = await callAgent(execution, planAgain(first, session, said, problem));
    const isLost = next.verdict.kind === 'no_conversation';
    call = addedTo(call, isLost ? await callAgent(execution, planAgain(first, null, said, problem)) : next);
  }
  return call;
}
