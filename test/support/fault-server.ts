import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Fault, respond, type Said, say } from './faults.ts';
import { isStreaming, type Protocol, protocolOf } from './model-answers.ts';

export { ANSWER, type Fault } from './faults.ts';

interface SeenRequest {
  readonly fault: string;
  readonly protocol: Protocol;
  readonly streaming: boolean;
  /** The API key, from the header that the provider uses for it. */
  readonly key: string;
  /** The request's body; empty for a request for the list of models. */
  readonly body: string;
}

export interface FaultServer {
  readonly origin: string;
  /** Returns the base URL for which all answers have this fault. */
  url(fault: Fault): string;
  /** Returns a base URL that answers each key differently. */
  byKey(answers: Readonly<Record<string, Fault | Said>>): string;
  /** Returns a base URL that gives the n-th answer to the n-th request. The last answer is repeated. */
  byTurn(...answers: readonly (Fault | Said)[]): string;
  readonly seen: SeenRequest[];
  /** Sets the texts of the answer `says`. */
  say(...texts: readonly string[]): void;
  /** Resolves when a client closes the next connection before its answer has ended. */
  closedEarly(): Promise<void>;
  close(): Promise<void>;
}

const keyOf = ({ headers }: IncomingMessage): string =>
  String(headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers.authorization?.replace('Bearer ', '') ?? '');

async function read(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

/** Starts a server on a free port of this machine. */
export async function startFaultServer(): Promise<FaultServer> {
  const seen: SeenRequest[] = [];
  const waiting: (() => void)[] = [];
  const plans = new Map<string, (key: string) => Fault | Said | undefined>();
  const toSay: string[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const body = await read(request);
    const [, fault = ''] = path.split('/');
    const seenAs = { fault, protocol: protocolOf(path), streaming: isStreaming(path, body), key: keyOf(request) };
    seen.push({ ...seenAs, body });
    const asked = { ...seenAs, asksForModels: request.method === 'GET' && path.endsWith('/models') };
    response.on('close', () => {
      if (!response.writableFinished) for (const resolve of waiting.splice(0)) resolve();
    });
    if (fault === 'says') return say({ ...asked, response }, (toSay.length > 1 ? toSay.shift() : toSay[0]) ?? '');
    respond(plans.get(fault)?.(asked.key) ?? fault, { ...asked, response });
  };
  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const plan = (answer: (key: string) => Fault | Said | undefined): string => {
    const name = `plan-${String(plans.size)}`;
    plans.set(name, answer);
    return `${origin}/${name}/v1`;
  };
  return {
    origin,
    url: (fault) => `${origin}/${fault}/v1`,
    byKey: (answers) => plan((key) => answers[key]),
    byTurn: (...answers) => {
      let turn = 0;
      return plan(() => answers[Math.min((turn += 1), answers.length) - 1]);
    },
    seen,
    say: (...texts) => void toSay.splice(0, toSay.length, ...texts),
    closedEarly: () => new Promise((resolve) => waiting.push(resolve)),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
