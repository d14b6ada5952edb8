import type { FailureClass } from '#protocol/failure-class.ts';

/**
 * How something that calls go through stands: a key, its account, its endpoint.
 *
 * 1. `until` only moves forward, whatever comes.
 * 2. A call that was begun before the last trouble proves nothing, and makes the next wait no longer.
 * 3. After its rest, one call tries it; the others pass by until that one knows.
 *
 *             failed                 failed
 *   healthy ─────────▶ cooling ◀───────────────┐
 *      ▲                  │ until has passed     │
 *      │    answered      ▼                      │
 *      └────────────── half_open ────────────────┤
 *                         ▲ until has passed     ▼
 *                         └───────────────── exhausted          invalid: from all of them, left by a new secret only
 */
export interface Standing {
  /** `half_open` is what `cooling` and `exhausted` become by time alone. */
  readonly state: 'healthy' | 'cooling' | 'exhausted' | 'invalid';
  readonly until: number;
  /** Troubles in a row. */
  readonly level: number;
  /** Troubles in all. */
  readonly epoch: number;
  /** The call that tries it after its rest. */
  readonly probe: number | null;
  readonly why: FailureClass | null;
  readonly said: string;
}

export const HEALTHY: Standing = { state: 'healthy', until: 0, level: 0, epoch: 0, probe: null, why: null, said: '' };

/** Where a call goes through, and how that stood when it began. */
export interface Gate {
  /** `key:…`, `account:…`, `endpoint:…`, `model:<model>:…`. */
  readonly id: string;
  standing: Standing;
  /** Of models that its provider has spoken of: they rest, and it does not. */
  readonly models: Map<string, Gate>;
}

export interface Trouble {
  readonly as: 'cooling' | 'exhausted' | 'invalid';
  readonly why: FailureClass;
  readonly said: string;
  /** What the provider told; null: it didn't. */
  readonly retryAt: number | null;
}

/** First guess and last, doubled in between, where nothing is told. */
export interface Patience {
  readonly firstMs: number;
  readonly lastMs: number;
}

/** A provider that tells less than this would be asked without pause; doubled with each trouble in a row, so that nobody hammers. */
const SHORTEST_REST_MS = 1_000;
const SHORTEST_DOUBLED = 6;
/** Longer than a month is a mistake, or a trick. */
const LONGEST_REST_MS = 32 * 86_400_000;

const SEVERITY = { healthy: 0, cooling: 1, exhausted: 2, invalid: 3 } as const;

/** The time before which nothing goes through; `Infinity` while it is being tried, or when only a person can help. */
export const blockedUntil = ({ state, until, probe }: Standing): number =>
  state === 'healthy' ? 0 : state === 'invalid' || probe !== null ? Number.POSITIVE_INFINITY : until;

export const stateAt = ({ state, until }: Standing, now: number): Standing['state'] | 'half_open' =>
  (state === 'cooling' || state === 'exhausted') && until <= now ? 'half_open' : state;

/** A call goes through. */
export const taken = (standing: Standing, call: number): Standing =>
  standing.state === 'healthy' ? standing : { ...standing, probe: call };

/** It ended without a word about this. */
export const released = (standing: Standing, call: number): Standing =>
  standing.probe === call ? { ...standing, probe: null } : standing;

/** It was answered; `epoch` is that of its beginning. */
export function answered(standing: Standing, epoch: number): Standing {
  if (standing.epoch !== epoch || standing.state === 'invalid') return standing;
  if (standing.state === 'healthy' && standing.level === 0) return standing;
  return { ...HEALTHY, until: standing.until, epoch };
}

function restUntil(standing: Standing, stale: boolean, { retryAt }: Trouble, now: number, patience: Patience): number {
  if (retryAt !== null) {
    const shortest = SHORTEST_REST_MS * 2 ** Math.min(standing.level, SHORTEST_DOUBLED);
    return Math.min(Math.max(retryAt, now + shortest), now + LONGEST_REST_MS);
  }
  if (stale) return 0;
  return now + Math.min(patience.firstMs * 2 ** Math.min(standing.level, 30), patience.lastMs);
}

/** A call failed, and this is to blame. */
export function failed(
  standing: Standing,
  call: { readonly id: number; readonly epoch: number },
  trouble: Trouble,
  now: number,
  patience: Patience,
): Standing {
  const stale = standing.epoch !== call.epoch && standing.state !== 'healthy';
  const rests = standing.state !== 'healthy' && stateAt(standing, now) !== 'half_open';
  const worse = !rests || SEVERITY[trouble.as] > SEVERITY[standing.state];
  return {
    state: worse ? trouble.as : standing.state,
    until: Math.max(standing.until, restUntil(standing, stale, trouble, now, patience)),
    level: stale ? standing.level : standing.level + 1,
    epoch: stale ? standing.epoch : standing.epoch + 1,
    probe: standing.probe === call.id ? null : standing.probe,
    why: worse ? trouble.why : standing.why,
    said: worse ? trouble.said : standing.said,
  };
}
