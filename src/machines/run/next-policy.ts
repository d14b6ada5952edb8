import type { RecoveryPolicy } from '#protocol/graph.ts';
import type { Reason } from '#protocol/response.ts';

type Policies = Readonly<Record<string, readonly RecoveryPolicy[]>>;

/** The position of a visit in its recovery lists. */
export interface RecoveryState {
  /** The index of the current policy and the number of retries under it, by list. */
  readonly places: ReadonlyMap<string, { readonly place: number; readonly retries: number }>;
  /** The number of executions of the current request. */
  readonly executions: number;
}

export const NO_RECOVERY_YET: RecoveryState = { places: new Map(), executions: 0 };

type Remedy =
  | { readonly kind: 'retry'; readonly delayMs: number; readonly jitter: number; readonly repeatsEffects: boolean }
  | { readonly kind: 'repair'; readonly worker: string }
  | { readonly kind: 'give_up'; readonly exhausted: boolean };

const listFor = (recovery: Policies, reason: Reason): string | null =>
  Object.hasOwn(recovery, reason) ? reason : Object.hasOwn(recovery, '*') ? '*' : null;

/** Returns what a block's policies decide after a failed execution, and the new position. */
export function nextPolicy(
  recovery: Policies,
  reason: Reason,
  state: RecoveryState,
): { readonly remedy: Remedy; readonly state: RecoveryState } {
  const list = listFor(recovery, reason);
  if (list === null) return { remedy: { kind: 'give_up', exhausted: false }, state };
  const policies = recovery[list] ?? [];
  const known = state.places.get(list) ?? { place: 0, retries: 0 };
  const at = (place: number, retries: number): RecoveryState => ({
    ...state,
    places: new Map(state.places).set(list, { place, retries }),
  });
  for (let { place, retries } = known; place < policies.length; place += 1, retries = 0) {
    const policy = policies[place];
    if (policy === undefined) break;
    if (policy.policy === 'bubble') return { remedy: { kind: 'give_up', exhausted: false }, state: at(place, 0) };
    if (policy.policy === 'repair')
      return { remedy: { kind: 'repair', worker: policy.worker }, state: at(place + 1, 0) };
    if (state.executions < policy.maxAttempts) {
      const delayMs = policy.delayMs * policy.backoff ** retries;
      const { jitter, repeatsEffects = false } = policy;
      return { remedy: { kind: 'retry', delayMs, jitter, repeatsEffects }, state: at(place, retries + 1) };
    }
  }
  return { remedy: { kind: 'give_up', exhausted: policies.length > 0 }, state: at(policies.length, 0) };
}
