import type { OnAiFact } from './ai-fact.ts';
import type { AiRequest, FinishReason, TokenUsage } from './ai-call.ts';
import type { ProviderName } from './provider.ts';
import type { AttemptRecord, CallScope } from './finished-call.ts';
import type { FailureClass, FailurePolicy, KeyState } from './failure-class.ts';

/** A key of the user, without its secret. */
export interface KeyDefinition {
  readonly alias: string;
  readonly provider: ProviderName;
  /** The only endpoint that the key is sent to; null for the provider's default. A manifest can't change it. */
  readonly baseUrl: string | null;
  /**
   * The account whose limits the key shares; keys of one account cool down together. Null: the key shares no limits.
   */
  readonly account: string | null;
  /** Disabled by the user in every project. */
  readonly disabled?: boolean;
  /** The server is on this computer and has no key: calls are sent without one. Absent: the key needs a secret. */
  readonly keyless?: true;
}

/** Where the key's secret is stored. */
type KeySource = { readonly kind: 'environment'; readonly variable: string } | { readonly kind: 'keychain' };

/** A key with the user's settings, without its secret. */
export interface UserKey extends KeyDefinition {
  /** A pool that the key belongs to in addition to the pools that list it; null: none. */
  readonly pool: string | null;
  readonly from: KeySource;
}

export type BudgetScope = 'node' | 'run' | 'task' | 'session' | 'day' | 'month' | 'key';

/** Limits; null is no limit. Money is in millionths of a US dollar. */
export interface Amounts {
  readonly microUsd: number | null;
  readonly tokens: number | null;
  readonly requests: number | null;
}

/** Budgets by scope. `key` applies to each key and day (UTC), `node` to each node of one run. */
export type Budgets = Readonly<Partial<Record<BudgetScope, Amounts>>>;

/** The settings of a pool of the manifest. */
export interface PoolSettings {
  readonly name: string;
  /** Aliases of the keys in order; null for all keys. */
  readonly keys: readonly string[] | null;
  readonly policy: Readonly<Partial<Record<FailureClass, FailurePolicy>>>;
  /** Tiers of aliases; keys in no tier come last. */
  readonly tiers: readonly (readonly string[])[];
  readonly weights: Readonly<Record<string, number>>;
  /** Maximum number of concurrent calls per key; null for no limit. */
  readonly concurrency: number | null;
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  /** Budgets of this pool. */
  readonly budget: Budgets;
}

export interface WorkOrder {
  readonly request: AiRequest;
  readonly pool: PoolSettings;
  readonly scope: CallScope;
  /** The manifest's budgets. */
  readonly budgets: Budgets;
  /** The time until which the call waits for a key, in milliseconds since the epoch. */
  readonly deadline: number;
  /** The number of billed attempts of the same visit that gave no answer. */
  readonly billedBefore?: number;
  readonly signal: AbortSignal;
  readonly onFact?: OnAiFact;
  /** Receives the text while it streams; null if there is no reader. */
  readonly reader: {
    onText(text: string): void;
    /**
     * Called when the answer starts again, so that the text so far must be discarded; null if the reader can't discard
     * text.
     */
    readonly onRestart: (() => void) | null;
  } | null;
}

/** The state of one key in a report. */
export interface KeyReport {
  readonly alias: string;
  readonly state: KeyState;
  /** When the key can be used again; null if a person has to act. */
  readonly until: number | null;
  readonly why: FailureClass | 'no_secret' | 'endpoint' | 'busy' | 'budget' | null;
  /** The provider's message, at most 300 characters. */
  readonly said: string;
}

interface CallAttempts {
  readonly call: string;
  readonly attempts: readonly AttemptRecord[];
}

export interface OverspentBudget {
  readonly scope: BudgetScope;
  readonly unit: 'microUsd' | 'tokens' | 'requests';
  readonly limit: number;
  readonly spent: number;
  /** The least that the call needs in addition to what is spent. */
  readonly needed: number;
  /**
   * `price_unknown`: without a price, the limit can't be checked. `cut_off`: the call was made, and its answer was cut
   * off where the limit is.
   */
  readonly why: 'limit' | 'price_unknown' | 'cut_off';
}

/**
 * The outcome of a call. `exhausted`: no key can be used before the deadline. `retryAt` is null if no key will recover
 * by itself.
 */
export type PoolResult =
  | (CallAttempts & {
      readonly kind: 'answered';
      readonly key: string;
      readonly text: string;
      readonly finish: FinishReason;
      readonly usage: TokenUsage;
      /** Null: the price is unknown. */
      readonly microUsd: number | null;
    })
  | (CallAttempts & {
      readonly kind: 'failed';
      readonly class: FailureClass;
      readonly said: string;
      readonly text: string;
    })
  | (CallAttempts & {
      readonly kind: 'exhausted';
      readonly retryAt: number | null;
      readonly table: readonly KeyReport[];
    })
  | (CallAttempts & { readonly kind: 'over_budget'; readonly over: OverspentBudget });

/** Returns the cost of an answer in millionths of a US dollar. An unknown cost is null, never zero. */
export interface Prices {
  microUsd(request: AiRequest, usage: Omit<TokenUsage, 'source'>): number | null;
}

/** The secrets of keys, in memory only. */
export interface KeySecrets {
  /** Returns the secret, or null if there is none. */
  get(alias: string): string | null;
}

/** Why the provider did not accept a key that a person has tested. */
export interface KeyTestFailure {
  readonly class: FailureClass;
  readonly said: string;
  /** When the provider allows the next request, in milliseconds since the epoch; null if it did not say. */
  readonly retryAt: number | null;
}

/** The result of a person's test of a key; `failure` is null if the key works, or if the person says so. */
export interface NotedKeyTest {
  readonly alias: string;
  readonly failure: KeyTestFailure | null;
}
