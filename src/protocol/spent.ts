/** On models, by one execution or many. */
export interface Spent {
  readonly tokens: number;
  /** Millionths of a US dollar; null: a price is unknown. */
  readonly microUsd: number | null;
}
