import type { TokenUsage } from '#protocol/ai-call.ts';

/** The figures that an agent has reported for a whole conversation, up to its last call. */
export interface ConversationTotals {
  readonly costMicroUsd: number | null;
  readonly usage: TokenUsage | null;
}

/** The figures of an agent's report that count the whole conversation, and not only the call that has ended. */
interface Cumulative {
  readonly cost: boolean;
  readonly usage: boolean;
}

const NONE: ConversationTotals = { costMicroUsd: null, usage: null };

/** A total that has not grown belongs to a new count, since no call is free. */
const costSince = (total: number | null, before: number | null): number | null =>
  total === null || before === null || total <= before ? total : total - before;

function usageSince(total: TokenUsage | null, before: TokenUsage | null): TokenUsage | null {
  if (total === null || before === null) return total;
  const grew = total.input >= before.input && total.output >= before.output;
  if (!grew || total.input + total.output === before.input + before.output) return total;
  const since = (one: number, other: number): number => Math.max(0, one - other);
  const cacheWrite = since(total.cacheWrite ?? 0, before.cacheWrite ?? 0);
  return {
    input: total.input - before.input,
    output: total.output - before.output,
    cached: since(total.cached, before.cached),
    ...(cacheWrite === 0 ? {} : { cacheWrite }),
    reasoning: since(total.reasoning, before.reasoning),
    source: total.source,
  };
}

/**
 * Returns what one call of a conversation has used: the reported totals minus those of the conversation's last call. A
 * total that shrinks is counted as new. `totals` are the figures to subtract from the next report.
 */
export function sinceTotal(
  reported: ConversationTotals,
  { cost, usage }: Cumulative,
  before: ConversationTotals = NONE,
): { readonly own: ConversationTotals; readonly totals: ConversationTotals } {
  const isCounted = usage && reported.usage?.source === 'provider';
  return {
    own: {
      costMicroUsd: cost ? costSince(reported.costMicroUsd, before.costMicroUsd) : reported.costMicroUsd,
      usage: isCounted ? usageSince(reported.usage, before.usage) : reported.usage,
    },
    totals: {
      costMicroUsd: cost ? (reported.costMicroUsd ?? before.costMicroUsd) : null,
      usage: isCounted ? reported.usage : before.usage,
    },
  };
}
