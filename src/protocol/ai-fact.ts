import type { ProviderName } from './ai-call.ts';
import type { KeyState } from './failure-class.ts';
import type { FinishedCall } from './finished-call.ts';

/** What happens with calls of models and with keys, for those who watch: aliases, no secret, no word of prompt, answer or provider. `call` is its name in the call log. */
export type AiFact =
  | {
      readonly type: 'ai.call.started';
      readonly call: string;
      readonly provider: ProviderName;
      readonly model: string;
      /** Empty: all keys. */
      readonly pool: string;
    }
  /** One attempt, with one key, is over. */
  | {
      readonly type: 'ai.call.attempted';
      readonly call: string;
      readonly key: string;
      /** `ok`, `aborted`, or the class of the failure. */
      readonly outcome: string;
      /** Of HTTP, where it failed. */
      readonly status: number | null;
      readonly duration_ms: number;
    }
  | {
      readonly type: 'ai.call.finished';
      readonly call: string;
      readonly outcome: FinishedCall['result'];
      readonly attempts: number;
      readonly tokens: number;
      /** Null: the price is unknown. */
      readonly cost_micro_usd: number | null;
      /** Spent waiting for a key. */
      readonly queued_ms: number;
      readonly duration_ms: number;
    }
  /** As the pool knows it from now on; that a rest is over is not told. */
  | {
      readonly type: 'key.changed';
      readonly key: string;
      /** Null: all of the key; else what it says is of this model with it. */
      readonly model: string | null;
      readonly state: KeyState;
      readonly until: number | null;
      /** The class of the failure; null: none. */
      readonly why: string | null;
    };

export type OnAiFact = (fact: AiFact) => void;
