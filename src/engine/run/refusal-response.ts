import type { Reason, Response } from '#protocol/response.ts';

/** Returns the Response of a run that was not started. */
export const refusalResponse = (
  reason: Reason,
  details: Response['details'],
  source: string | null = null,
): Response => ({
  success: false,
  reason,
  details,
  error_type: null,
  data: { payload: [], exports: {} },
  metadata: {
    run_id: null,
    trace_id: null,
    source,
    last_node: null,
    last_block: null,
    steps: 0,
    depth: 0,
    tokens: 0,
    cost: 0,
    duration_ms: 0,
  },
  path: [],
});
