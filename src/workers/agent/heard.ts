import type { FinishReason, TokenUsage } from '#protocol/ai-call.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';

/** What an agent has told until now. */
export interface Heard {
  /** Its own id of the conversation. */
  readonly session: string | null;
  readonly model: string | null;
  /** The last that it said. */
  readonly said: string;
  /** Its answer, as its last event has it; null: there was none. */
  readonly answer: string | null;
  readonly finish: FinishReason;
  readonly usage: TokenUsage | null;
  readonly costMicroUsd: number | null;
  readonly error: string | null;
  /** It says itself that a limit of use is reached; and when that ends, in milliseconds since the epoch. */
  readonly limited: boolean;
  readonly limitEnds: number | null;
  /** Tools that it wanted to use and may not. */
  readonly denied: number;
  /** What it did, a line each. */
  readonly activity: readonly string[];
  /** For people who watch. */
  readonly doing: string | null;
  /** Its last event has come. */
  readonly isOver: boolean;
}

export const NOTHING_HEARD: Heard = {
  ...{ session: null, model: null, said: '', answer: null, finish: 'stop', usage: null, costMicroUsd: null },
  ...{ error: null, limited: false, limitEnds: null, denied: 0, activity: [], doing: null, isOver: false },
};

export type ReadEvent = (heard: Heard, event: JsonObject) => Heard;

const MOST_ACTIVITY = 200;
const LONGEST_ACTIVITY = 300;

/** A tool was used, a command run, a file changed. */
export function did(heard: Heard, what: string): Heard {
  const line = what.replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST_ACTIVITY);
  const activity = heard.activity.length < MOST_ACTIVITY ? [...heard.activity, line] : heard.activity;
  return { ...heard, activity, doing: line };
}

/** More is no answer. */
const LONGEST_ANSWER = 2_000_000;

export const says = (heard: Heard, said: string): Heard => ({
  ...heard,
  said: said.slice(0, LONGEST_ANSWER),
  doing: said.trim().split('\n').at(-1) ?? heard.doing,
});

// An agent's events are hostile: what is not of the right type is not there.

export const textIn = (object: JsonObject | null, key: string): string | null => {
  const value = object?.[key];
  return typeof value === 'string' && value !== '' ? value : null;
};

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const objectIn = (object: JsonObject | null, key: string): JsonObject | null => {
  const value = object?.[key];
  return isObject(value) ? value : null;
};

export const objectsIn = (object: JsonObject | null, key: string): readonly JsonObject[] => {
  const value = object?.[key];
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter((one) => isObject(one)) : [];
};

/** A number of tokens; null: it is none. */
export const countIn = (object: JsonObject | null, key: string): number | null => {
  const value = object?.[key];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
};

/** Null: neither input nor output is told. */
export function usageOf(
  input: number | null,
  output: number | null,
  more: Partial<TokenUsage> = {},
): TokenUsage | null {
  if (input === null && output === null) return null;
  return { input: input ?? 0, output: output ?? 0, cached: 0, reasoning: 0, source: 'provider', ...more };
}
