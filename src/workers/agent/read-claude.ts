import type { JsonObject } from '#protocol/json.ts';
import {
  type AgentReport,
  countIn,
  objectIn,
  objectsIn,
  type ReadEvent,
  textIn,
  tokensIn,
  usageOf,
  withAction,
  withMessage,
} from './agent-report.ts';
import { causeOfMessage, causeOfStatus, type FailureCause } from './failure-cause.ts';

/** Fields of a tool's input in the order of preference; the first one present is shown in the activity line. */
const SHOWN_FIELDS = ['command', 'file_path', 'notebook_path', 'pattern', 'path', 'url', 'query', 'description'];

function toolText(block: JsonObject): string {
  const input = objectIn(block, 'input');
  const shown = SHOWN_FIELDS.map((key) => textIn(input, key)).find((text) => text !== null);
  return `${textIn(block, 'name') ?? 'tool'}${shown === undefined || shown === null ? '' : ` ${shown}`}`;
}

/**
 * Converts Anthropic's usage to RoboSmith's. Anthropic does not count cache reads and cache writes as input tokens, so
 * they are added.
 */
function tokensOf(usage: JsonObject | null): AgentReport['usage'] {
  const count = (key: string): number => tokensIn(usage, key) ?? 0;
  const [cached, cacheWrite] = [count('cache_read_input_tokens'), count('cache_creation_input_tokens')];
  const input = tokensIn(usage, 'input_tokens');
  const all = input === null ? null : input + cached + cacheWrite;
  return usageOf(all, tokensIn(usage, 'output_tokens'), { cached, ...(cacheWrite === 0 ? {} : { cacheWrite }) });
}

/**
 * Estimates the usage until the final event reports it: the input tokens of the latest message, which contains the
 * whole prompt, and the sum of all output tokens. If the answer breaks off, the estimate is final.
 */
const estimated = (reported: AgentReport, usage: AgentReport['usage']): AgentReport['usage'] =>
  usage === null
    ? reported.usage
    : { ...usage, output: usage.output + (reported.usage?.output ?? 0), source: 'estimated' };

/** The classes of errors that claude reports with a message of its own. */
const CAUSES: Readonly<Record<string, FailureCause>> = {
  authentication_failed: 'not_logged_in',
  billing_error: 'no_money',
  rate_limit: 'limited',
};

function readMessage(reported: AgentReport, event: JsonObject): AgentReport {
  const message = objectIn(event, 'message');
  const isSynthetic = textIn(message, 'model') === '<synthetic>';
  const isInner = textIn(event, 'parent_tool_use_id') !== null;
  let next: AgentReport = isSynthetic
    ? { ...reported, cause: CAUSES[textIn(event, 'error') ?? ''] ?? null }
    : { ...reported, cause: null, usage: estimated(reported, tokensOf(objectIn(message, 'usage'))) };
  for (const block of objectsIn(message, 'content')) {
    const text = textIn(block, 'text');
    if (block['type'] === 'tool_use') next = withAction(next, toolText(block));
    else if (block['type'] === 'text' && text !== null && !isInner) next = withMessage(next, text);
  }
  return next;
}

/**
 * Returns the cost in millionths of a US dollar, rounded up. A cost of 0 means that no price is known, so it becomes
 * null.
 */
function costOf(event: JsonObject): number | null {
  const cost = event['total_cost_usd'];
  return typeof cost === 'number' && cost > 0 && cost < 1e6 ? Math.ceil(cost * 1e6 - 1e-6) : null;
}

const errorsOf = (event: JsonObject): string | null => {
  const errors = event['errors'];
  return Array.isArray(errors) && errors.length > 0 ? errors.map(String).join('; ') : null;
};

/** Returns the cause of a failed turn: by the status of the API, claude's own class of the error, or its message. */
const resultCause = (reported: AgentReport, event: JsonObject, message: string): FailureCause | null =>
  causeOfStatus(countIn(event, 'api_error_status')) ?? reported.cause ?? causeOfMessage('claude', message);

function readResult(reported: AgentReport, event: JsonObject): AgentReport {
  const result = textIn(event, 'result');
  const subtype = textIn(event, 'subtype') ?? 'error';
  const isError = event['is_error'] === true || subtype !== 'success';
  const errorParts = isError
    ? [errorsOf(event) ?? result ?? reported.said, subtype === 'success' ? '' : `(${subtype})`]
    : [];
  const error = isError ? errorParts.filter((one) => one !== '').join(' ') : null;
  return {
    ...reported,
    isOver: true,
    answer: isError ? null : (result ?? reported.said),
    finish:
      event['stop_reason'] === 'max_tokens' ? 'length' : event['stop_reason'] === 'refusal' ? 'content_filter' : 'stop',
    usage: tokensOf(objectIn(event, 'usage')) ?? reported.usage,
    costMicroUsd: costOf(event),
    error,
    cause: isError ? resultCause(reported, event, errorsOf(event) ?? result ?? '') : null,
    denied: objectsIn(event, 'permission_denials').length,
  };
}

/** Reads a rate limit event. Its reset time is in seconds since the epoch. */
function readLimit(reported: AgentReport, event: JsonObject): AgentReport {
  const info = objectIn(event, 'rate_limit_info');
  if (textIn(info, 'status') !== 'rejected') return { ...reported, limited: false };
  const ends = countIn(info, 'resetsAt');
  return { ...reported, limited: true, limitEnds: ends === null ? null : ends * 1_000 };
}

/** Reads events of `claude -p --output-format stream-json --verbose` (docs/reference/agents.md). */
export const readClaude: ReadEvent = (reported, event) => {
  const session = textIn(event, 'session_id') ?? reported.session;
  switch (event['type']) {
    case 'system':
      return event['subtype'] === 'init'
        ? { ...reported, session, model: textIn(event, 'model') ?? reported.model }
        : reported;
    case 'assistant':
      return readMessage({ ...reported, session }, event);
    case 'rate_limit_event':
      return readLimit(reported, event);
    case 'result':
      return readResult({ ...reported, session }, event);
    default:
      return reported;
  }
};
