import type { OnAiFact } from './ai-fact.ts';
import type { AiRequest, FinishReason, ProviderName, TokenUsage } from './ai-call.ts';
import type { AttemptRecord, CallScope } from './finished-call.ts';
import type { FailureClass, FailurePolicy, KeyState } from './failure-class.ts';

/** A key that the user has, without its secret. */
export interface KeyDefinition {
  readonly alias: string;
  readonly provider: ProviderName;
  /** The one endpoint that it is sent to; null: the provider's own. A manifest can't send it elsewhere. */
  readonly baseUrl: string | null;
  /** Keys of one account share its limits, and rest together; null: its own. */
  readonly account: string | null;
  /** By the user, in every project. */
  readonly disabled?: boolean;
}

/** Where its secret is. */
export type KeySource = { readonly kind: 'environment'; readonly variable: string } | { readonly kind: 'keychain' };

/** A key with what its user has said of it, without its secret. */
export interface UserKey extends KeyDefinition {
  /** A pool of manifests that it belongs to, beside those that list it; null: none. */
  readonly pool: string | null;
  readonly from: KeySource;
}

export type BudgetScope = 'node' | 'run' | 'task' | 'session' | 'day' | 'month' | 'key';

/** Null: no limit. Money in millionths of a dollar. */
export interface Amounts {
  readonly microUsd: number | null;
  readonly tokens: number | null;
  readonly requests: number | null;
}

/** `key` is for each key and day (UTC), `node` for each node of one run. */
export type Budgets = Readonly<Partial<Record<BudgetScope, Amounts>>>;

/** A pool of the manifest, read. */
export interface PoolSettings {
  readonly name: string;
  /** Aliases in order; null: every key there is. */
  readonly keys: readonly string[] | null;
  readonly policy: Readonly<Partial<Record<FailureClass, FailurePolicy>>>;
  /** Keys that are in none come last. */
  readonly tiers: readonly (readonly string[])[];
  readonly weights: Readonly<Record<string, number>>;
  /** For each key. */
  readonly concurrency: number | null;
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  /** What is spent in this pool. */
  readonly budget: Budgets;
}

export interface WorkOrder {
  readonly request: AiRequest;
  readonly pool: PoolSettings;
  readonly scope: CallScope;
  /** The manifest's own. */
  readonly budgets: Budgets;
  /** It waits for a key until then, in milliseconds since the epoch. */
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly onFact?: OnAiFact;
  /** Null: nobody reads along, so a broken answer may be asked for again. */
  readonly reader: {
    onText(text: string): void;
    /** What was read is void, the answer begins anew; null: the reader can't take anything back. */
    readonly onRestart: (() => void) | null;
  } | null;
}

/** What a key says of itself. */
export interface KeyReport {
  readonly alias: string;
  readonly state: KeyState;
  /** When it may be used again; null: not by itself. */
  readonly until: number | null;
  readonly why: FailureClass | 'no_secret' | 'endpoint' | 'busy' | 'budget' | null;
  /** The provider's words, at most 300 characters. */
  readonly said: string;
}

interface Told {
  readonly call: string;
  readonly attempts: readonly AttemptRecord[];
}

export interface Overspent {
  readonly scope: BudgetScope;
  readonly unit: 'microUsd' | 'tokens' | 'requests';
  readonly limit: number;
  readonly spent: number;
  /** `price_unknown`: it can't be told whether the limit holds. */
  readonly why: 'limit' | 'price_unknown';
}

/** `exhausted`: no key can be used before the deadline; `retryAt` null: none comes back by itself. */
export type PoolResult =
  | (Told & {
      readonly kind: 'answered';
      readonly key: string;
      readonly text: string;
      readonly finish: FinishReason;
      readonly usage: TokenUsage;
      /** Null: the price is unknown. */
      readonly microUsd: number | null;
    })
  | (Told & { readonly kind: 'failed'; readonly class: FailureClass; readonly said: string; readonly text: string })
  | (Told & { readonly kind: 'exhausted'; readonly retryAt: number | null; readonly table: readonly KeyReport[] })
  | (Told & { readonly kind: 'over_budget'; readonly over: Overspent });

/** What an answer costs, in millionths of a dollar; null: unknown, which is never zero. */
export interface Prices {
  microUsd(request: AiRequest, usage: Pick<TokenUsage, 'input' | 'output' | 'cached' | 'reasoning'>): number | null;
}

/** The secrets, in memory only. */
export interface KeySecrets {
  /** Null: there is none. */
  get(alias: string): string | null;
}
