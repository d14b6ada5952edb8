import type { RecoveryProgress } from './frame.ts';
import type { Policy } from './program.ts';

export type RecoveryChoice =
  | { readonly kind: 'retry'; readonly delayMs: number; readonly repeatsEffects: boolean }
  | { readonly kind: 'repair'; readonly worker: string }
  | { readonly kind: 'give_up' };

/**
 * Returns the next recovery policy for a failure and advances the position in its list (point 11 of
 * docs/decisions/2026-11-21-run-semantics.md).
 */
export const chooseRecovery = (
  recovery: ReadonlyMap<string, readonly Policy[]>,
  reason: string,
  progress: RecoveryProgress,
): RecoveryChoice => {
  const name = recovery.has(reason) ? reason : '*';
  const policies = recovery.get(name) ?? [];
  const list = progress.lists.get(name) ?? { place: 0, retries: 0 };
  progress.lists.set(name, list);
  for (;;) {
    const policy = policies[list.place];
    if (policy === undefined || policy.kind === 'bubble') return { kind: 'give_up' };
    if (policy.kind === 'retry' && progress.executions < policy.maxAttempts) {
      list.retries += 1;
      const { delayMs, backoff, repeatsEffects } = policy;
      return { kind: 'retry', delayMs: delayMs * backoff ** (list.retries - 1), repeatsEffects };
    }
    list.place += 1;
    list.retries = 0;
    if (policy.kind === 'repair') return { kind: 'repair', worker: policy.worker };
  }
};
