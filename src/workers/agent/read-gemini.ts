import type { JsonObject } from '#protocol/json.ts';
import { did, type Heard, objectIn, type ReadEvent, says, textIn, tokensIn, usageOf } from './heard.ts';

const TELLING = ['command', 'file_path', 'absolute_path', 'path', 'pattern', 'query', 'url'];

function toolText(event: JsonObject): string {
  const parameters = objectIn(event, 'parameters');
  const telling = TELLING.map((key) => textIn(parameters, key)).find((text) => text !== null);
  return `${textIn(event, 'tool_name') ?? 'tool'}${telling === undefined || telling === null ? '' : ` ${telling}`}`;
}

const tokensOf = (stats: JsonObject | null): Heard['usage'] =>
  usageOf(tokensIn(stats, 'input_tokens'), tokensIn(stats, 'output_tokens'), {
    cached: tokensIn(stats, 'cached') ?? 0,
  });

const messageOf = (event: JsonObject): string | null =>
  textIn(objectIn(event, 'error'), 'message') ?? textIn(event, 'message');

/**
 * Reads a message. The answer arrives in deltas, which are appended; a message without `delta` replaces the text so
 * far. A tool call starts a new message.
 */
function readMessage(heard: Heard, event: JsonObject): Heard {
  const content = textIn(event, 'content');
  if (event['role'] !== 'assistant' || content === null) return heard;
  return says(heard, event['delta'] === true ? heard.said + content : content);
}

function readResult(heard: Heard, event: JsonObject): Heard {
  const isError = event['status'] !== 'success';
  return {
    ...heard,
    isOver: true,
    answer: isError ? null : heard.said,
    error: isError ? (messageOf(event) ?? heard.error ?? 'it ended with an error') : null,
    usage: tokensOf(objectIn(event, 'stats')) ?? heard.usage,
  };
}

/** Reads events of `gemini --output-format stream-json` (docs/agents.md). */
export const readGemini: ReadEvent = (heard, event) => {
  switch (event['type']) {
    case 'init':
      return { ...heard, session: textIn(event, 'session_id'), model: textIn(event, 'model') ?? heard.model };
    case 'message':
      return readMessage(heard, event);
    case 'tool_use':
      return { ...did(heard, toolText(event)), said: '' };
    case 'tool_result':
      return event['status'] === 'error' && /denied|not allowed|policy/i.test(messageOf(event) ?? '')
        ? { ...heard, denied: heard.denied + 1 }
        : heard;
    case 'error':
      return event['severity'] === 'error' ? { ...heard, error: messageOf(event) ?? heard.error } : heard;
    case 'result':
      return readResult(heard, event);
    default:
      return heard;
  }
};
