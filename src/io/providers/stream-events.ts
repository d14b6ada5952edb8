import { createParser } from 'eventsource-parser';
import { isObject, parseJsonObject } from '#protocol/json.ts';

/** What the server-sent events (HTML standard) of one answer have shown so far. The rules are the same for all providers. */
export interface StreamEvents {
  /** Takes the next part of the body. Returns true once the last event of the answer is complete. */
  add(text: string): boolean;
  /** Ends the body. An event at the end counts although no blank line follows it. */
  end(): void;
  /** True if an event that reports no error has arrived: the provider has accepted the request. */
  readonly isAccepted: boolean;
  /** True if the last event of the answer has arrived. */
  readonly isEnded: boolean;
  /** The data of the last event that reports an error, or null. */
  readonly error: string | null;
}

/** Types of the last events of messages and responses; chat completions end with `[DONE]`. Gemini's streams have none. */
const LAST_TYPES: ReadonlySet<unknown> = new Set([
  'message_stop',
  'response.completed',
  'response.incomplete',
  'response.failed',
]);

const isFilled = (value: unknown): boolean => isObject(value) || (typeof value === 'string' && value !== '');

type Fields = Readonly<Record<string, unknown>>;

function reportsError(event: Fields): boolean {
  const { error, type, choices } = event;
  if (isFilled(error) || type === 'error' || type === 'response.failed') return true;
  return Array.isArray(choices) && choices.some((choice: unknown) => isObject(choice) && isFilled(choice['error']));
}

/** Matches data that may report an error or end the answer, because most events are pieces of text and need no parsing. */
const NOTABLE = /"error"|"message_stop"|"response\.(?:completed|incomplete|failed)"/;

export function createStreamEvents(): StreamEvents {
  let isLast = false;
  let isAccepted = false;
  let error: string | null = null;
  const parser = createParser({
    onEvent: ({ event, data }) => {
      if (data.trim() === '[DONE]') {
        isLast = true;
        return;
      }
      const value: Fields | null = !isAccepted || NOTABLE.test(data) ? parseJsonObject(data) : null;
      isLast ||= LAST_TYPES.has(event) || LAST_TYPES.has(value?.['type']);
      if (event === 'error' || (value !== null && reportsError(value))) error = data;
      else isAccepted ||= value !== null;
    },
  });
  return {
    add: (text) => {
      parser.feed(text);
      return isLast;
    },
    end: () => parser.feed('\n\n'),
    get isAccepted() {
      return isAccepted;
    },
    get isEnded() {
      return isLast;
    },
    get error() {
      return error;
    },
  };
}
