import type { FailureClass } from '#protocol/failure-class.ts';

/**
 * The state of a gate: a key, its account, its endpoint, or a model. 1. `until` never moves backwards. 2. A call that
 * began before the last failure does not clear the state if it succeeds. If it fails, it extends the pause only to a
 * time that the provider names. 3. After a pause, a single call tests the gate (`half_open`). Other calls use other
 * keys until its result is known. failed failed healthy ─────────▶ cooling ◀───────────────┐ ▲ │ until has passed │ │
 * answered ▼ │ └────────────── half_open ────────────────┤ ▲ until has passed ▼ └───────────────── exhausted invalid:
 * from every state; only a new secret leaves it
 */
export interface Standing {
  /** `half_open` follows from `cooling` and `exhausted` by time alone, and is not stored. */
  readonly state: 'healthy' | 'cooling' | 'exhausted' | 'invalid';
  readonly until: number;
  /** The number of consecutive failures. */
  readonly level: number;
  /** The number of all failures. */
  readonly epoch: number;
  /** The call that tests the gate after its pause; null if there is none. */
  readonly probe: number | null;
  readonly why: FailureClass | null;
  readonly said: string;
}

export const HEALTHY: Standing = { state: 'healthy', until: 0, level: 0, epoch: 0, probe: null, why: null, said: '' };

/** A key, account, endpoint or model, with the state that decides whether calls may use it. */
export interface Gate {
  /** The id: `key:…`, `account:…`, `endpoint:…`, `model:<model>:…`. */
  readonly id: string;
  standing: Standing;
  /** The gates of models with a limit of their own: they cool down independently. */
  readonly models: Map<string, Gate>;
}

export interface GateFailure {
  readonly as: 'cooling' | 'exhausted' | 'invalid';
  readonly why: FailureClass;
  readonly said: string;
  /** When the provider allows the next request; null if it did not say. */
  readonly retryAt: number | null;
}

/**
 * The first and the maximum pause, used if the provider names none. The pause doubles with each consecutive failure.
 */
export interface PauseBounds {
  readonly firstMs: number;
  readonly lastMs: number;
}

/** The minimum pause, used if the provider names a shorter one. It doubles with each consecutive failure. */
const SHORTEST_REST_MS = 1_000;
const SHORTEST_DOUBLED = 6;
/** The maximum pause, 32 days: a longer one is a mistake or an attack. */
const LONGEST_REST_MS = 32 * 86_400_000;

const SEVERITY = { healthy: 0, cooling: 1, exhausted: 2, invalid: 3 } as const;

/**
 * Returns the time until which the gate blocks calls; `Infinity` while a call tests the gate, or if only a person can
 * unblock it.
 */
export const blockedUntil = ({ state, until, probe }: Standing): number =>
  state === 'healthy' ? 0 : state === 'invalid' || probe !== null ? Number.POSITIVE_INFINITY : until;

export const stateAt = ({ state, until }: Standing, now: number): Standing['state'] | 'half_open' =>
  (state === 'cooling' || state === 'exhausted') && until <= now ? 'half_open' : state;

/** Returns the state after a call was let through. */
export const taken = (standing: Standing, call: number): Standing =>
  standing.state === 'healthy' ? standing : { ...standing, probe: call };

/** Returns the state after a call whose outcome says nothing about the gate. */
export const released = (standing: Standing, call: number): Standing =>
  standing.probe === call ? { ...standing, probe: null } : standing;

/** Returns the state after a call was answered. `epoch` is the gate's epoch when the call began. */
export function answered(standing: Standing, epoch: number): Standing {
  if (standing.epoch !== epoch || standing.state === 'invalid') return standing;
  if (standing.state === 'healthy' && standing.level === 0) return standing;
  return { ...HEALTHY, until: standing.until, epoch };
}

function restUntil(
  standing: Standing,
  stale: boolean,
  { retryAt }: GateFailure,
  now: number,
  pauses: PauseBounds,
): number {
  if (retryAt !== null) {
    const shortest = SHORTEST_REST_MS * 2 ** Math.min(standing.level, SHORTEST_DOUBLED);
    return Math.min(Math.max(retryAt, now + shortest), now + LONGEST_REST_MS);
  }
  if (stale) return 0;
  return now + Math.min(pauses.firstMs * 2 ** Math.min(standing.level, 30), pauses.lastMs);
}

/** Returns the state after a call failed because of the gate. */
export function failed(
  standing: Standing,
  call: { readonly id: number; readonly epoch: number },
  trouble: GateFailure,
  now: number,
  pauses: PauseBounds,
): Standing {
  const stale = standing.epoch !== call.epoch && standing.state !== 'healthy';
  const rests = standing.state !== 'healthy' && stateAt(standing, now) !== 'half_open';
  const worse = !rests || SEVERITY[trouble.as] > SEVERITY[standing.state];
  return {
    state: worse ? trouble.as : standing.state,
    until: Math.max(standing.until, restUntil(standing, stale, trouble, now, pauses)),
    level: stale ? standing.level : standing.level + 1,
    epoch: stale ? standing.epoch : standing.epoch + 1,
    probe: standing.probe === call.id ? null : standing.probe,
    why: worse ? trouble.why : standing.why,
    said: worse ? trouble.said : standing.said,
  };
}
