import type { RecoveryPolicy } from '#protocol/graph.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { isList, isObject, readFlag, readNumber, readObject, readString } from '../1-parse/json-reader.ts';
import type { ResolvedBlock } from '../2-resolve/resolved-manifest.ts';
import { checkWorkerName } from './check-worker-name.ts';
import type { KnownNames } from './known-names.ts';

function readRetry(written: JsonObject, reason: string, { report }: Diagnose): RecoveryPolicy {
  const repeatsEffects = readFlag(written, 'repeat_effects') ?? false;
  if (repeatsEffects && reason !== 'evidence_failed')
    report('RS2054', { container: written, member: 'repeat_effects', side: 'key' }, { reason });
  return {
    policy: 'retry',
    maxAttempts: readNumber(written, 'max_attempts') ?? 2,
    delayMs: readNumber(written, 'delay_ms') ?? 0,
    backoff: readNumber(written, 'backoff') ?? 1,
    jitter: readNumber(written, 'jitter') ?? 0,
    ...(repeatsEffects ? { repeatsEffects: true as const } : {}),
  };
}

function readPolicy(written: JsonValue, reason: string, names: KnownNames, diagnose: Diagnose): RecoveryPolicy | null {
  if (!isObject(written)) return null;
  switch (readString(written, 'policy')) {
    case 'retry':
      return readRetry(written, reason, diagnose);
    case 'bubble':
      return { policy: 'bubble' };
    case 'repair': {
      const worker = readString(written, 'worker');
      if (worker !== null && worker !== '')
        checkWorkerName(worker, { container: written, member: 'worker' }, names, diagnose);
      return worker === null ? null : { policy: 'repair', worker };
    }
    default:
      return null;
  }
}

/**
 * Returns the recovery policies that `check` adds. They execute the worker again even if that repeats its side effects.
 */
function checkPolicies({ check }: ResolvedBlock): Readonly<Record<string, readonly RecoveryPolicy[]>> {
  if (check === null || check.attempts === 1) return {};
  const retry = { policy: 'retry', maxAttempts: check.attempts, delayMs: 0, backoff: 1, jitter: 0 } as const;
  return { evidence_failed: [{ ...retry, repeatsEffects: true }] };
}

/**
 * Reads the recovery policies of a block: for each reason of a failure, or `*`, the policies that are tried in order.
 */
export function readRecovery(
  block: ResolvedBlock,
  names: KnownNames,
  diagnose: Diagnose,
): Readonly<Record<string, readonly RecoveryPolicy[]>> {
  const lists = Object.entries(readObject(block.written, 'recovery') ?? {}).filter(
    ([reason]) => !reason.startsWith('x-'),
  );
  const read = Object.fromEntries(
    lists.map(([reason, list]) => {
      const policies = isList(list) ? list.map((policy) => readPolicy(policy, reason, names, diagnose)) : [];
      return [reason, policies.filter((policy) => policy !== null)];
    }),
  );
  // The block's own policies for a failure take precedence over those of `check`.
  return { ...checkPolicies(block), ...read };
}
