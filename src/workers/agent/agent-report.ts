import { type FinishReason, isTokenCount, type TokenUsage } from '#protocol/ai-call.ts';
import { isObject, type JsonObject, type JsonValue } from '#protocol/json.ts';
import type { FailureCause } from './failure-cause.ts';

/** The data that an agent has reported so far, accumulated from its events. */
export interface AgentReport {
  /** The id that the agent gave to the conversation. */
  readonly session: string | null;
  readonly model: string | null;
  /** The agent's latest message. */
  readonly said: string;
  /** The agent's answer according to its last event, or null if it has not given one. */
  readonly answer: string | null;
  readonly finish: FinishReason;
  readonly usage: TokenUsage | null;
  readonly costMicroUsd: number | null;
  readonly error: string | null;
  /** Why the agent failed, if it is one of the causes that have nothing to do with the task. */
  readonly cause: FailureCause | null;
  /**
   * True if the agent reported that a usage limit is reached. `limitEnds` is the end of that limit in milliseconds
   * since the epoch, or null if unknown.
   */
  readonly limited: boolean;
  readonly limitEnds: number | null;
  /** The number of tool calls that were denied. */
  readonly denied: number;
  /** The agent's actions, one line each. */
  readonly activity: readonly string[];
  /** The agent's current action, for the progress display. */
  readonly doing: string | null;
  /** True once the agent's last event has arrived. */
  readonly isOver: boolean;
}

export const EMPTY_REPORT: AgentReport = {
  session: null,
  model: null,
  said: '',
  answer: null,
  finish: 'stop',
  usage: null,
  costMicroUsd: null,
  error: null,
  cause: null,
  limited: false,
  limitEnds: null,
  denied: 0,
  activity: [],
  doing: null,
  isOver: false,
};

export type ReadEvent = (reported: AgentReport, event: JsonObject) => AgentReport;

const MOST_ACTIVITY = 200;
const LONGEST_ACTIVITY = 300;

/** Records an action of the agent: a tool call, a command or a change of a file. */
export function withAction(reported: AgentReport, what: string): AgentReport {
  const line = what.replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST_ACTIVITY);
  const activity = reported.activity.length < MOST_ACTIVITY ? [...reported.activity, line] : reported.activity;
  return { ...reported, activity, doing: line };
}

/** Maximum length of an answer in characters; the rest is dropped. */
const LONGEST_ANSWER = 2_000_000;

export const withMessage = (reported: AgentReport, said: string): AgentReport => ({
  ...reported,
  said: said.slice(0, LONGEST_ANSWER),
  doing: said.trim().split('\n').at(-1) ?? reported.doing,
});

// An agent's events are untrusted input. A field of the wrong type counts as missing.

export const textIn = (object: JsonObject | null, key: string): string | null => {
  const value = object?.[key];
  return typeof value === 'string' && value !== '' ? value : null;
};

export const objectIn = (object: JsonObject | null, key: string): JsonObject | null => {
  const value = object?.[key];
  return isObject(value) ? value : null;
};

export const objectsIn = (object: JsonObject | null, key: string): readonly JsonObject[] => {
  const value = object?.[key];
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter((one) => isObject(one)) : [];
};

/** Returns a number, or null if the field is not a non-negative safe integer. */
export const countIn = (object: JsonObject | null, key: string): number | null => {
  const value = object?.[key];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
};

/** Returns a token count, or null if the field is not a plausible token count of one call. */
export const tokensIn = (object: JsonObject | null, key: string): number | null => {
  const value = object?.[key];
  return isTokenCount(value) ? value : null;
};

/** Builds a token usage, or returns null if neither input nor output tokens are known. */
export function usageOf(
  input: number | null,
  output: number | null,
  more: Partial<TokenUsage> = {},
): TokenUsage | null {
  if (input === null && output === null) return null;
  return { input: input ?? 0, output: output ?? 0, cached: 0, reasoning: 0, source: 'provider', ...more };
}
