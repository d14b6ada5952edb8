import type { CallRecord, CallSummary } from '#protocol/call-record.ts';

export function summariseCall(record: CallRecord, file: string): CallSummary {
  const {
    call,
    started_at,
    origin,
    run,
    session,
    block,
    request,
    attempts,
    outcome,
    tokens_used: used,
    cost,
    ms,
  } = record;
  return {
    call,
    file,
    started_at,
    origin,
    run,
    session,
    block,
    outcome,
    provider: request.provider,
    model: request.model,
    ...(record.agent === undefined ? {} : { agent: record.agent.name }),
    key: attempts.at(-1)?.key ?? null,
    attempts: attempts.length,
    input: used?.input ?? null,
    output: used?.output ?? null,
    cached: used?.cached ?? null,
    micro_usd: cost.micro_usd,
    ...(cost.at_least === true ? { at_least: true } : {}),
    ms: ms.total,
  };
}
