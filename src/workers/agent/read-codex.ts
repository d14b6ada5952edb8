import type { JsonObject } from '#protocol/json.ts';
import { did, type Heard, objectIn, objectsIn, type ReadEvent, says, textIn, tokensIn, usageOf } from './heard.ts';

function tokensOf(usage: JsonObject | null): Heard['usage'] {
  const cached = tokensIn(usage, 'cached_input_tokens') ?? 0;
  const reasoning = tokensIn(usage, 'reasoning_output_tokens') ?? 0;
  return usageOf(tokensIn(usage, 'input_tokens'), tokensIn(usage, 'output_tokens'), { cached, reasoning });
}

const changesText = (item: JsonObject): string =>
  objectsIn(item, 'changes')
    .map((change) => `${textIn(change, 'kind') ?? 'change'} ${textIn(change, 'path') ?? ''}`)
    .join(', ');

function readStarted(heard: Heard, item: JsonObject | null): Heard {
  if (item?.['type'] === 'command_execution') return did(heard, `$ ${textIn(item, 'command') ?? ''}`);
  if (item?.['type'] === 'mcp_tool_call')
    return did(heard, `${textIn(item, 'server') ?? ''} ${textIn(item, 'tool') ?? ''}`);
  return heard;
}

function readCompleted(heard: Heard, item: JsonObject | null): Heard {
  switch (item?.['type']) {
    case 'agent_message':
    case 'assistant_message':
      return says(heard, textIn(item, 'text') ?? '');
    case 'file_change':
      return did(heard, changesText(item));
    case 'web_search':
      return did(heard, `search ${textIn(item, 'query') ?? ''}`);
    case 'command_execution':
      return item['status'] === 'declined' ? { ...heard, denied: heard.denied + 1 } : heard;
    default:
      return heard;
  }
}

/**
 * Reads events of `codex exec --json` (docs/agents.md). An `error` event may be a lost connection that codex restores,
 * so only the end of the turn decides.
 */
export const readCodex: ReadEvent = (heard, event) => {
  const item = objectIn(event, 'item');
  switch (event['type']) {
    case 'thread.started':
      return { ...heard, session: textIn(event, 'thread_id') ?? heard.session };
    case 'item.started':
      return readStarted(heard, item);
    case 'item.completed':
      return readCompleted(heard, item);
    case 'turn.completed':
      return {
        ...heard,
        isOver: true,
        answer: heard.said,
        error: null,
        usage: tokensOf(objectIn(event, 'usage')) ?? heard.usage,
      };
    case 'turn.failed':
      return {
        ...heard,
        isOver: true,
        error: textIn(objectIn(event, 'error'), 'message') ?? heard.error ?? 'the turn failed',
      };
    case 'error':
      return { ...heard, error: textIn(event, 'message') ?? heard.error };
    default:
      return heard;
  }
};
