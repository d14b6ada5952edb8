import type { GraphBlock, RecoveryPolicy } from '#protocol/graph.ts';
import type { Signal } from '#protocol/id.ts';
import type { ScriptEntry } from '#protocol/script.ts';
import { ERROR, NO_SIGNAL } from '#protocol/signal.ts';

/** Returns the number of executions before the policies give up, if every execution fails. */
function executions(policies: readonly RecoveryPolicy[]): number {
  let all = 0;
  let ofRequest = 1;
  for (const policy of policies) {
    if (policy.policy === 'bubble') break;
    if (policy.policy === 'retry') ofRequest = Math.max(ofRequest, policy.maxAttempts);
    else {
      all += ofRequest;
      ofRequest = 1;
    }
  }
  return all + ofRequest;
}

/** Returns scripted executions after which the engine emits a signal for the block; null if no script can do so. */
export function failingEntries({ recovery, validation }: GraphBlock, signal: Signal): readonly ScriptEntry[] | null {
  if (signal === NO_SIGNAL && validation === null) return [{ text: 'An answer without a signal.' }];
  if (signal !== ERROR) return null;
  const policies = recovery['worker_error'] ?? recovery['*'] ?? [];
  return Array.from({ length: executions(policies) }, () => ({ error: 'It fails.' }));
}
