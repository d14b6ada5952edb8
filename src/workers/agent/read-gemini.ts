import { type JsonObject, parseJsonObject } from '#protocol/json.ts';
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

const SHOWN_FIELDS = ['command', 'file_path', 'absolute_path', 'path', 'pattern', 'query', 'url'];

function toolText(event: JsonObject): string {
  const parameters = objectIn(event, 'parameters');
  const shown = SHOWN_FIELDS.map((key) => textIn(parameters, key)).find((text) => text !== null);
  return `${textIn(event, 'tool_name') ?? 'tool'}${shown === undefined || shown === null ? '' : ` ${shown}`}`;
}

const tokensOf = (stats: JsonObject | null): AgentReport['usage'] =>
  usageOf(tokensIn(stats, 'input_tokens'), tokensIn(stats, 'output_tokens'), {
    cached: tokensIn(stats, 'cached') ?? 0,
  });

/** Matches an error whose message is the answer of the endpoint. */
const API_ERROR = /^\[API Error: (\{.*\})\]/s;

/** Returns the cause of an error by the endpoint's answer in its message, or else by the message. */
function causeOf(message: string): FailureCause | null {
  const [, body] = API_ERROR.exec(message) ?? [];
  const error = body === undefined ? null : objectIn(parseJsonObject(body) as JsonObject | null, 'error');
  if (error === null) return causeOfMessage('gemini', message);
  const isWrongKey = objectsIn(error, 'details').some(({ reason }) => reason === 'API_KEY_INVALID');
  return isWrongKey ? 'not_logged_in' : causeOfStatus(countIn(error, 'code'));
}

const messageOf = (event: JsonObject): string | null =>
  textIn(objectIn(event, 'error'), 'message') ?? textIn(event, 'message');

/**
 * Reads a message. The answer arrives in deltas, which are appended; a message without `delta` replaces the text so
 * far. A tool call starts a new message.
 */
function readMessage(reported: AgentReport, event: JsonObject): AgentReport {
  const content = textIn(event, 'content');
  if (event['role'] !== 'assistant' || content === null) return reported;
  return withMessage(reported, event['delta'] === true ? reported.said + content : content);
}

function readResult(reported: AgentReport, event: JsonObject): AgentReport {
  const isError = event['status'] !== 'success';
  const error = messageOf(event) ?? reported.error ?? 'it ended with an error';
  return {
    ...reported,
    isOver: true,
    answer: isError ? null : reported.said,
    error: isError ? error : null,
    cause: isError ? (causeOf(error) ?? reported.cause) : null,
    usage: tokensOf(objectIn(event, 'stats')) ?? reported.usage,
  };
}

const withError = (reported: AgentReport, message: string | null): AgentReport =>
  message === null ? reported : { ...reported, error: message, cause: causeOf(message) };

/** Reads events of `gemini --output-format stream-json` (docs/reference/agents.md). */
export const readGemini: ReadEvent = (reported, event) => {
  switch (event['type']) {
    case 'init':
      return { ...reported, session: textIn(event, 'session_id'), model: textIn(event, 'model') ?? reported.model };
    case 'message':
      return readMessage(reported, event);
    case 'tool_use':
      return { ...withAction(reported, toolText(event)), said: '' };
    case 'tool_result':
      return event['status'] === 'error' && /denied|not allowed|policy/i.test(messageOf(event) ?? '')
        ? { ...reported, denied: reported.denied + 1 }
        : reported;
    case 'error':
      return event['severity'] === 'error' ? withError(reported, messageOf(event)) : reported;
    case 'result':
      return readResult(reported, event);
    default:
      return reported;
  }
};
