/** What one or many executions have used of models. */
export interface Spent {
  readonly tokens: number;
  /** Millionths of a US dollar; null: a price is unknown. */
  readonly microUsd: number | null;
}
