import type { ServerResponse } from 'node:http';
import type { Answered } from './inference.ts';

const usageOf = ({ prompt, completion }: Answered) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
});

export interface AnswerWriter {
  text(part: string): void;
  done(answered: Answered): void;
}

const LEAST = { id: 'chatcmpl-tiny', created: 0 };

/** Writes the answer as one document. */
function wholeAnswer(response: ServerResponse, model: string): AnswerWriter {
  return {
    text: () => undefined,
    done: (answered) => {
      const message = { role: 'assistant', content: answered.text };
      const choices = [{ index: 0, message, finish_reason: answered.finish }];
      sayJson(response, 200, { ...LEAST, object: 'chat.completion', model, choices, usage: usageOf(answered) });
    },
  };
}

/** Writes server-sent events with about one token each; the last event may contain the usage. */
function streamedAnswer(response: ServerResponse, model: string, reportsUsage: boolean): AnswerWriter {
  const event = (choices: readonly object[], more: object = {}): void => {
    const chunk = { ...LEAST, object: 'chat.completion.chunk', model, choices, ...more };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  return {
    text: (content) => {
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
      event([{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }]);
    },
    done: (answered) => {
      event([{ index: 0, delta: {}, finish_reason: answered.finish }]);
      if (reportsUsage) event([], { usage: usageOf(answered) });
      response.end('data: [DONE]\n\n');
    },
  };
}

export const answerTo = (
  response: ServerResponse,
  {
    streams,
    model,
    reportsUsage,
  }: { readonly streams: boolean; readonly model: string; readonly reportsUsage: boolean },
): AnswerWriter => (streams ? streamedAnswer(response, model, reportsUsage) : wholeAnswer(response, model));

export function sayJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

export function refuse(
  response: ServerResponse,
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  sayJson(response, status, { error: { message, type: code, code } }, headers);
}
