import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { documentOf, streamOf } from '../support/model-answers.ts';

/** A function that returns the text of an answer to a prompt. */
export type Answerer = (prompt: string) => string;

export interface MockModel {
  readonly baseUrl: string;
  /** The prompts since the last call of `answerWith`. */
  readonly prompts: readonly string[];
  answerWith(answerer: Answerer): void;
  close(): Promise<void>;
}

interface ChatRequest {
  readonly stream?: boolean;
  readonly messages: readonly { readonly content: string | readonly { readonly text?: string }[] }[];
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

const textOf = ({ messages }: ChatRequest): string =>
  messages
    .map(({ content }) => (typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n')))
    .join('\n\n');

function send(response: ServerResponse, text: string, streams: boolean): void {
  if (!streams) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(documentOf('chat', text)));
    return;
  }
  const { head, texts, end } = streamOf('chat', [text]);
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end([...head, ...texts, ...end].join(''));
}

/**
 * Starts a model server on this machine that uses OpenAI's protocol. It rejects requests with a key, to prove that a
 * local server needs none.
 */
export async function startMockModel(): Promise<MockModel> {
  const prompts: string[] = [];
  let answerer: Answerer = () => '';
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(request);
    if (request.headers.authorization !== undefined || request.method !== 'POST') {
      response.writeHead(401).end(JSON.stringify({ error: { message: 'This server takes no key.' } }));
      return;
    }
    const asked = JSON.parse(body) as ChatRequest;
    const prompt = textOf(asked);
    prompts.push(prompt);
    send(response, answerer(prompt), asked.stream === true);
  };
  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`,
    prompts,
    answerWith: (next) => {
      prompts.length = 0;
      answerer = next;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
