import type { AgentCall, AgentCallEnd } from '#protocol/agent.ts';
import type { CallRecord, LoggedAttempt } from '#protocol/call-record.ts';

export interface EndedAgentCall {
  readonly call: string;
  readonly begun: AgentCall;
  readonly ended: AgentCallEnd;
  /** The agent's own id of the conversation. */
  readonly session: string | null;
  readonly startedAt: number;
  readonly endedAt: number;
  /** The cost, with its source. */
  readonly cost: CallRecord['cost'];
}

/** Creates the log record of an agent's execution: one attempt, with the agent's name in place of a key. */
export function makeAgentRecord({ call, begun, ended, session, startedAt, endedAt, cost }: EndedAgentCall): CallRecord {
  const { agent, prompt, place, provider, approvals, resumed } = begun;
  const ms = { queued: 0, first_token: ended.firstTextMs, total: endedAt - startedAt };
  const isOk = ended.outcome === 'ok';
  const attempt: LoggedAttempt = {
    key: agent,
    started_at: startedAt,
    outcome: ended.outcome,
    finish: isOk ? ended.finish : null,
    facts: isOk
      ? null
      : {
          phase: 'stream',
          status: null,
          headers: {},
          body: (ended.error ?? '').slice(0, 8_192),
          error: 'AgentError',
          begun: ended.firstTextMs !== null,
        },
    tokens_used: ended.usage,
    cost_micro_usd: cost.micro_usd,
    ms,
    raw: ended.raw,
  };
  return {
    v: 1,
    call,
    origin: null,
    started_at: startedAt,
    ...place,
    conversation: begun.conversation,
    pool: null,
    request: {
      provider,
      model: ended.model ?? begun.model ?? agent,
      base_url: null,
      segments: prompt.segments,
      cut: prompt.cut,
      schema: null,
      max_output_tokens: null,
      temperature: null,
      stream: true,
    },
    agent: { name: agent, session, resumed, approvals, exit_code: ended.exitCode },
    attempts: [attempt],
    outcome: ended.outcome,
    answer: ended.text === null ? null : { text: ended.text, finish: ended.finish },
    tokens_used: ended.usage,
    cost,
    ms,
  };
}
