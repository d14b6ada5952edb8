import type { Reason, Response } from '#protocol/response.ts';

/** The Response of a run that never started. */
export const refusal = (reason: Reason, details: Response['details'], source: string | null): Response => ({
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
    cost: null,
    duration_ms: 0,
  },
  path: [],
});
