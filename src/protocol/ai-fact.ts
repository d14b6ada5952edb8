import type { Count, Integer, Milliseconds } from './count.ts';
import type { ProviderName } from './provider.ts';
import type { KeyState } from './failure-class.ts';
import type { FinishedCall } from './finished-call.ts';

/** Why a fallback is used. `exhausted`: no key of the pool can be used now. */
export type FallbackCause = 'exhausted' | 'context_length' | 'content_filter';

/**
 * Events of model calls and keys, for observers. They hold aliases only: no secret, no text of a prompt, an answer or
 * a provider. `call` is the call's name in the call log.
 */
export type AiFact =
  | {
      readonly type: 'ai.call.started';
      readonly call: string;
      readonly provider: ProviderName;
      readonly model: string;
      /** The name of the pool; empty if the call may use all keys. */
      readonly pool: string;
    }
  /** One attempt, with one key, has ended. */
  | {
      readonly type: 'ai.call.attempted';
      readonly call: string;
      readonly key: string;
      /** `ok`, `aborted`, or the class of the failure. */
      readonly outcome: string;
      /** The HTTP status of a failed attempt. */
      readonly status: Integer | null;
      readonly duration_ms: Milliseconds;
    }
  | {
      readonly type: 'ai.call.finished';
      readonly call: string;
      readonly outcome: FinishedCall['result'];
      readonly attempts: Count;
      readonly tokens: Count;
      /** Null: the price is unknown. */
      readonly cost_micro_usd: number | null;
      /** Milliseconds spent waiting for a key. */
      readonly queued_ms: Milliseconds;
      readonly duration_ms: Milliseconds;
    }
  /** Another model is called, because the first one can't be used. */
  | {
      readonly type: 'ai.call.fallback';
      readonly from: string;
      readonly provider: ProviderName;
      readonly model: string;
      readonly why: FallbackCause;
    }
  /** A secret was found in a prompt before it was sent. */
  | {
      readonly type: 'ai.call.redacted';
      /** The prompt segment or the file that contained the secret. */
      readonly where: string;
      /** The alias of the key whose secret was replaced; null if the text only has the format of a key. */
      readonly key: string | null;
    }
  /** A key's new state. The end of a cooling pause is not reported. */
  | {
      readonly type: 'key.changed';
      readonly key: string;
      /** The model that the state applies to; null if it applies to the whole key. */
      readonly model: string | null;
      readonly state: KeyState;
      readonly until: number | null;
      /** The class of the failure; null: none. */
      readonly why: string | null;
    };

export type OnAiFact = (fact: AiFact) => void;
