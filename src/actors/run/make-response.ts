import type { Frame } from '#machines/run/state.ts';
import { payloadOf } from '#machines/run/payload-log.ts';
import type { Failure, Halt, Response } from '#protocol/response.ts';

interface ResponseParts {
  readonly root: Frame;
  readonly traceId: string;
  readonly source: string | null;
  readonly startedAt: number;
  readonly failure: Failure | null;
  readonly halts: readonly Halt[];
}

/** Makes the Response for the current state of a run. */
export function makeResponse({ root, traceId, source, startedAt, failure, halts }: ResponseParts): Response {
  const { run } = root;
  const last = run.path.at(-1);
  const halted = failure === null && halts.length > 0;
  return {
    success: failure === null && !halted,
    reason: failure?.reason ?? (halted ? 'halted' : null),
    details: failure?.details ?? (halted ? { halts } : {}),
    error_type: failure?.errorType ?? null,
    data: { payload: payloadOf(root.payload), exports: root.exports },
    metadata: {
      run_id: run.id,
      trace_id: traceId,
      source,
      last_node: last?.node ?? null,
      last_block: last?.block ?? null,
      steps: run.finished - run.cutOff,
      depth: run.depth,
      tokens: run.spent.tokens,
      cost: run.spent.microUsd === null ? null : run.spent.microUsd / 1e6,
      ...(run.spent.atLeast === true ? { cost_at_least: true } : {}),
      duration_ms: run.now() - startedAt,
    },
    path: [...run.path],
  };
}
