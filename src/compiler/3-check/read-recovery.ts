import type { RecoveryPolicy } from '#protocol/graph.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { isList, isObject, readNumber, readObject, readString } from '../1-parse/json-reader.ts';
import type { ResolvedBlock } from '../2-resolve/resolved-manifest.ts';
import { checkWorkerName } from './check-worker-name.ts';
import type { KnownNames } from './known-names.ts';

function readRetry(written: JsonObject): RecoveryPolicy {
  return {
    policy: 'retry',
    maxAttempts: readNumber(written, 'max_attempts') ?? 2,
    delayMs: readNumber(written, 'delay_ms') ?? 0,
    backoff: readNumber(written, 'backoff') ?? 1,
    jitter: readNumber(written, 'jitter') ?? 0,
  };
}

function readPolicy(written: JsonValue, names: KnownNames, diagnose: Diagnose): RecoveryPolicy | null {
  if (!isObject(written)) return null;
  switch (readString(written, 'policy')) {
    case 'retry':
      return readRetry(written);
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

/** What is tried when an execution fails: reason, or `*`, to policies in order (spec/engine.md "Recovery"). */
export function readRecovery(
  block: ResolvedBlock,
  names: KnownNames,
  diagnose: Diagnose,
): Readonly<Record<string, readonly RecoveryPolicy[]>> {
  const lists = Object.entries(readObject(block.written, 'recovery') ?? {}).filter(
    ([reason]) => !reason.startsWith('x-'),
  );
  return Object.fromEntries(
    lists.map(([reason, list]) => {
      const policies = isList(list) ? list.map((policy) => readPolicy(policy, names, diagnose)) : [];
      return [reason, policies.filter((policy) => policy !== null)];
    }),
  );
}
