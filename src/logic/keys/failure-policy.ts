import type { FailureClass, FailurePolicy } from '#protocol/failure-class.ts';
import type { PoolSettings } from '#protocol/key-pool.ts';
import type { PauseBounds, GateFailure } from './key-state.ts';

interface ClassRule {
  readonly policy: FailurePolicy;
  /** What cools down under the policy `cool`. */
  readonly blames: 'key' | 'model' | 'account' | 'endpoint';
  readonly as: GateFailure['as'];
  readonly pauses: PauseBounds;
}

const SECONDS = 1_000;
const HOURS = 3_600_000;

const SHORT: PauseBounds = { firstMs: 5 * SECONDS, lastMs: 300 * SECONDS };
const LONG: PauseBounds = { firstMs: HOURS, lastMs: 24 * HOURS };
const ENDPOINT: PauseBounds = { firstMs: SECONDS, lastMs: 60 * SECONDS };
const PERMISSION: PauseBounds = { firstMs: 600 * SECONDS, lastMs: 24 * HOURS };

const key = (policy: FailurePolicy, pauses = SHORT): ClassRule => ({
  policy,
  blames: 'key',
  as: 'cooling',
  pauses,
});
const endpoint = (policy: FailurePolicy): ClassRule => ({
  policy,
  blames: 'endpoint',
  as: 'cooling',
  pauses: ENDPOINT,
});

/**
 * The default policy of each failure class. Keys are not blamed for faults of the caller or the endpoint. Our own time
 * limits count as the caller's: a limit that is too short must not cool down an endpoint for everybody.
 */
export const CLASS_RULES: Readonly<Record<FailureClass, ClassRule>> = {
  rate_limited: { policy: 'cool', blames: 'account', as: 'cooling', pauses: SHORT },
  quota_window: { policy: 'cool', blames: 'account', as: 'cooling', pauses: LONG },
  exhausted: { policy: 'cool', blames: 'account', as: 'exhausted', pauses: LONG },
  invalid_key: key('disable', LONG),
  forbidden: key('cool', PERMISSION),
  // Another key may have access to this model. If none does, the call fails with model_not_found.
  model_not_found: { policy: 'cool', blames: 'model', as: 'cooling', pauses: SHORT },
  bad_request: key('fail'),
  context_length: key('fail'),
  content_filter: key('fail'),
  timeout: endpoint('next_key'),
  server_error: endpoint('cool'),
  overloaded: endpoint('cool'),
  network: endpoint('cool'),
  dns: endpoint('cool'),
  tls: endpoint('fail'),
  stream_cut: endpoint('cool'),
  stream_broken: key('fail'),
  answer_too_large: key('fail'),
  malformed: endpoint('cool'),
  empty: key('next_key'),
};

export const policyOf = (pool: PoolSettings, failure: FailureClass): FailurePolicy =>
  pool.policy[failure] ?? CLASS_RULES[failure].policy;
