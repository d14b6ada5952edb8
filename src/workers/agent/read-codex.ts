import type { JsonObject } from '#protocol/json.ts';
import {
  type AgentReport,
  objectIn,
  objectsIn,
  type ReadEvent,
  textIn,
  tokensIn,
  usageOf,
  withAction,
  withMessage,
} from './agent-report.ts';
import { causeOfMessage } from './failure-cause.ts';

function tokensOf(usage: JsonObject | null): AgentReport['usage'] {
  const cached = tokensIn(usage, 'cached_input_tokens') ?? 0;
  const reasoning = tokensIn(usage, 'reasoning_output_tokens') ?? 0;
  return usageOf(tokensIn(usage, 'input_tokens'), tokensIn(usage, 'output_tokens'), { cached, reasoning });
}

const changesText = (item: JsonObject): string =>
  objectsIn(item, 'changes')
    .map((change) => `${textIn(change, 'kind') ?? 'change'} ${textIn(change, 'path') ?? ''}`)
    .join(', ');

function readStarted(reported: AgentReport, item: JsonObject | null): AgentReport {
  if (item?.['type'] === 'command_execution') return withAction(reported, `$ ${textIn(item, 'command') ?? ''}`);
  if (item?.['type'] === 'mcp_tool_call')
    return withAction(reported, `${textIn(item, 'server') ?? ''} ${textIn(item, 'tool') ?? ''}`);
  return reported;
}

function readCompleted(reported: AgentReport, item: JsonObject | null): AgentReport {
  switch (item?.['type']) {
    case 'agent_message':
    case 'assistant_message':
      return withMessage(reported, textIn(item, 'text') ?? '');
    case 'file_change':
      return withAction(reported, changesText(item));
    case 'web_search':
      return withAction(reported, `search ${textIn(item, 'query') ?? ''}`);
    case 'command_execution':
      return item['status'] === 'declined' ? { ...reported, denied: reported.denied + 1 } : reported;
    default:
      return reported;
  }
}

const withError = (reported: AgentReport, message: string | null): AgentReport =>
  message === null ? reported : { ...reported, error: message, cause: causeOfMessage('codex', message) };

/**
 * Reads events of `codex exec --json` (docs/reference/agents.md). An `error` event may be a lost connection that codex
 * restores, so only the event at the end of the turn counts as success or failure.
 */
export const readCodex: ReadEvent = (reported, event) => {
  const item = objectIn(event, 'item');
  switch (event['type']) {
    case 'thread.started':
      return { ...reported, session: textIn(event, 'thread_id') ?? reported.session };
    case 'item.started':
      return readStarted(reported, item);
    case 'item.completed':
      return readCompleted(reported, item);
    case 'turn.completed':
      return {
        ...reported,
        isOver: true,
        answer: reported.said,
        error: null,
        cause: null,
        usage: tokensOf(objectIn(event, 'usage')) ?? reported.usage,
      };
    case 'turn.failed': {
      const error = textIn(objectIn(event, 'error'), 'message') ?? reported.error ?? 'the turn failed';
      return { ...reported, isOver: true, error, cause: causeOfMessage('codex', error) };
    }
    case 'error':
      return withError(reported, textIn(event, 'message'));
    default:
      return reported;
  }
};
