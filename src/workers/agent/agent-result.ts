import type { GuardReport } from '#protocol/agent.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { JsonObject } from '#protocol/json.ts';
import { FAILURE, NO_SIGNAL } from '#protocol/signal.ts';
import type { WorkerResult } from '#protocol/worker.ts';
import { type AnswerRules, readAnswer } from '../ai/read-answer.ts';
import { signalFor } from '../answer/exit-signals.ts';
import type { AgentExecution, FinishedCall } from './call-agent.ts';
import type { ConversationResult } from './converse.ts';
import type { AgentEnding } from './judge-end.ts';
import { nameOf } from './plan-conversation.ts';
import { trespassSegment, trespassText, workSegment } from './trespass-text.ts';

/** Returns the error of an agent that did not start. Nothing has been changed, so the execution may be repeated. */
export const notStarted = (
  { settings }: AgentExecution,
  { error, isMissing }: ConversationResult['result'],
): RoboSmithError =>
  new RoboSmithError(
    'precondition_failed',
    [
      `${settings.command[0]} did not start: ${error ?? 'unknown reason'}.`,
      ...(isMissing !== true || settings.preset === null ? [] : [`To install it: ${settings.preset.install}`]),
      ...(isMissing === true ? ['`robosmith doctor` shows which agents are installed.'] : []),
    ].join('\n'),
    { program: settings.command[0] },
  );

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
export function errorOf(
  { settings }: AgentExecution,
  { call, conversation, costMicroUsd }: FinishedCall,
  verdict: Exclude<AgentEnding, { kind: 'ok' }>,
  more: string | null,
): RoboSmithError {
  const name = nameOf(settings);
  const message = [`${name}: ${verdict.message}`, ...(more === null ? [] : [more])].join('\n');
  const used = usedBy(conversation, costMicroUsd);
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
        kind: conversation.wasIdle ? 'timeout' : verdict.kind,
        call,
        ...used,
      });
  }
}

const statsOf = (
  { settings }: AgentExecution,
  { call, conversation, plan, costMicroUsd, calls }: FinishedCall,
  { changed }: GuardReport,
): JsonObject => ({
  calls,
  call,
  key: nameOf(settings),
  tokens_used: conversation.reported.usage === null ? null : { ...conversation.reported.usage },
  cost_micro_usd: costMicroUsd,
  prompt_tokens: plan.prompt.tokens,
  files_changed: changed.length,
});

/** Returns the result with the signal of the program's exit code if its answer ends with none. */
function withExitSignal(
  result: WorkerResult,
  { settings }: AgentExecution,
  { conversation }: FinishedCall,
): WorkerResult {
  const { exitCode } = conversation.result;
  if (result.signal !== NO_SIGNAL || settings.signals === null || exitCode === null) return result;
  const signal = signalFor(exitCode, settings.signals);
  if (signal === null) return result;
  const { answerProblem, ...rest } = result;
  return answerProblem === undefined ? result : { ...rest, signal };
}

/** Returns the result of a call that was answered. A write outside the block's access makes it a FAILURE. */
export function resultOf(
  execution: AgentExecution,
  call: FinishedCall,
  text: string,
  report: GuardReport,
  rules: AnswerRules,
): WorkerResult {
  const { reported, log } = call.conversation;
  const { settings } = execution;
  const { append = [], answerProblem, ...result } = withExitSignal(readAnswer(text, rules), execution, call);
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
    stats: statsOf(execution, call, report),
  };
}
