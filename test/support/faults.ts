import type { ServerResponse } from 'node:http';
import { documentOf, errorEventOf, errorOf, heldBack, type Protocol, streamOf } from './model-answers.ts';

/**
 * Faulty answers in the four protocols, which a general mock server can't give. The first part of the request's path
 * selects one.
 */
export type Fault =
  | 'none'
  /** Rejects requests without a key; otherwise the same as `none`. */
  | 'needs-key'
  /** The texts set with `say`, one per request; the last one is repeated. */
  | 'says'
  /** An error with this status in the provider's wording; 429 has `retry-after: 7`. */
  | `status-${number}`
  /** A 429 with `retry-after: 7` and a message, whose body never ends. */
  | 'refusal-and-silence'
  | 'html-502'
  /** An error whose body never ends. */
  | 'endless-error'
  | 'redirect'
  | 'hang-before-headers'
  | 'hang-after-headers'
  /** A part of the answer, then silence. */
  | 'stall'
  /** The complete answer, then silence instead of the end of the connection. */
  | 'answer-and-silence'
  /** A part of the answer, then endless meaningless bytes. */
  | 'drip'
  /** Endless headers. */
  | 'drip-headers'
  /** An answer that never reaches its first text: endless meaningless bytes. */
  | 'drip-before-text'
  /** Endless text, one character per event. For an answer that is not streamed: endless blanks before the document. */
  | 'drip-text'
  /** A part of the answer, then the regular end of the connection. */
  | 'truncation'
  | 'cut-before-headers'
  | 'cut'
  | 'error-event'
  | 'error-event-first'
  /** An error event, then silence. */
  | 'error-event-and-silence'
  | 'wrong-content-type'
  | 'broken-json'
  | 'empty-answer'
  | 'empty-body'
  /** The provider's filter withheld the answer. */
  | 'filtered';

/** A literal answer. */
export interface Said {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

export const ANSWER = ['Hello', ' from', ' the model.\nSIGNAL:SUCCESS'] as const;

const DRIP_MS = 5;

export interface Asked {
  readonly fault: string;
  readonly protocol: Protocol;
  readonly streaming: boolean;
  /** True if the request is for the list of models. */
  readonly asksForModels: boolean;
  /** The API key, which the error message repeats, as some providers do. */
  readonly key: string;
  readonly response: ServerResponse;
}

const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_1', ...headers });
  response.end(JSON.stringify(body));
};

const isEvents = { 'content-type': 'text/event-stream' };

/** Writes the answer up to its second part of text. Faults in the middle of an answer begin in this state. */
function begin({ protocol, streaming, response }: Asked): void {
  const { head, texts } = streamOf(protocol, ANSWER);
  response.writeHead(200, streaming ? isEvents : { 'content-type': 'application/json' });
  const whole = JSON.stringify(documentOf(protocol, ANSWER.join('')));
  response.write(streaming ? [...head, ...texts.slice(0, 2)].join('') : whole.slice(0, whole.length / 2));
}

function drip({ response }: Asked, text = ': \n'): void {
  const timer = setInterval(() => response.write(text), DRIP_MS);
  response.on('close', () => clearInterval(timer));
}

function dripText(asked: Asked): void {
  const { protocol, streaming, response } = asked;
  response.writeHead(200, streaming ? isEvents : { 'content-type': 'application/json' });
  const { head, texts } = streamOf(protocol, ['a', 'b']);
  response.write(streaming ? head.join('') : ' ');
  drip(asked, streaming ? texts[0] : ' ');
}

function dripHeaders({ response: { socket } }: Asked): void {
  socket?.write('HTTP/1.1 200 OK\r\nx-slow: ');
  const timer = setInterval(() => socket?.write('a'), DRIP_MS);
  socket?.on('close', () => clearInterval(timer));
}

function endless({ response }: Asked): void {
  response.writeHead(500, { 'content-type': 'text/plain' });
  const more = (): void => {
    while (!response.destroyed && response.write('x'.repeat(65_536)));
  };
  response.on('drain', more);
  more();
}

function answer({ protocol, streaming, response }: Asked, texts: readonly string[]): void {
  if (!streaming) return json(response, 200, documentOf(protocol, texts.join('')));
  const { head, texts: deltas, end } = streamOf(protocol, texts);
  response.writeHead(200, isEvents);
  response.end([...head, ...deltas, ...end].join(''));
}

const MODELS = { object: 'list', data: [{ id: 'tiny' }, { id: 'large' }] };

const FAULTS: Readonly<Record<string, (asked: Asked) => void>> = {
  none: (asked) => (asked.asksForModels ? json(asked.response, 200, MODELS) : answer(asked, ANSWER)),
  'needs-key': (asked) => {
    if (asked.key === '') json(asked.response, 401, errorOf(asked.protocol, 401, 'a key is needed'));
    else answer(asked, ANSWER);
  },
  'refusal-and-silence': ({ response, protocol, key }) => {
    response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '7' });
    response.write(JSON.stringify(errorOf(protocol, 429, `refused, key ${key} (${key})`)));
  },
  'html-502': ({ response }) => {
    response.writeHead(502, { 'content-type': 'text/html' }).end('<html>Bad gateway</html>');
  },
  'endless-error': endless,
  redirect: ({ response }) => {
    response.writeHead(307, { location: '/none/v1/elsewhere?token=1' }).end();
  },
  'hang-before-headers': () => undefined,
  'hang-after-headers': ({ response, streaming }) => {
    response.writeHead(200, streaming ? isEvents : { 'content-type': 'application/json' }).flushHeaders();
  },
  stall: begin,
  'answer-and-silence': ({ protocol, response }) => {
    const { head, texts, end } = streamOf(protocol, ANSWER);
    response.writeHead(200, isEvents).write([...head, ...texts, ...end].join(''));
  },
  drip: (asked) => {
    begin(asked);
    drip(asked);
  },
  'drip-headers': dripHeaders,
  'drip-before-text': (asked) => {
    asked.response.writeHead(200, asked.streaming ? isEvents : { 'content-type': 'application/json' });
    drip(asked, asked.streaming ? undefined : ' ');
  },
  'drip-text': dripText,
  truncation: (asked) => {
    begin(asked);
    asked.response.end();
  },
  'cut-before-headers': ({ response }) => void response.socket?.destroy(),
  cut: (asked) => {
    begin(asked);
    // The connection is destroyed after the data that was written has been sent.
    setImmediate(() => asked.response.socket?.destroy());
  },
  'error-event': (asked) => {
    if (!asked.streaming) return json(asked.response, 500, errorOf(asked.protocol, 500, `it broke ${asked.key}`));
    begin(asked);
    asked.response.end(errorEventOf(asked.protocol, `it broke ${asked.key}`));
  },
  'error-event-first': ({ response, protocol, key, streaming }) => {
    if (!streaming) return json(response, 500, errorOf(protocol, 500, `it broke ${key}`));
    response.writeHead(200, isEvents).end(errorEventOf(protocol, `it broke ${key}`));
  },
  'error-event-and-silence': (asked) => {
    if (!asked.streaming) return json(asked.response, 500, errorOf(asked.protocol, 500, `it broke ${asked.key}`));
    begin(asked);
    asked.response.write(errorEventOf(asked.protocol, `it broke ${asked.key}`));
  },
  'wrong-content-type': ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Log in to the hotel network</html>');
  },
  'broken-json': ({ response, streaming }) => {
    response.writeHead(200, streaming ? isEvents : { 'content-type': 'application/json' });
    response.end(streaming ? 'data: {"a": \n\n' : '{"a": ');
  },
  'empty-answer': (asked) => answer(asked, ['']),
  filtered: ({ protocol, streaming, response }) => {
    const { document, events } = heldBack(protocol);
    if (!streaming) return json(response, 200, document);
    response.writeHead(200, isEvents).end(events.join(''));
  },
  'empty-body': ({ response, streaming }) => {
    response.writeHead(200, streaming ? isEvents : { 'content-type': 'application/json' }).end();
  },
};

const typeOf = (body: string): string =>
  /^(?:event|data):/.test(body) ? 'text/event-stream' : body.startsWith('<') ? 'text/html' : 'application/json';

export const say = (asked: Asked, text: string): void => answer(asked, [text]);

/** Responds with a fault or with a literal answer. */
export function respond(how: string | Said, asked: Asked): void {
  if (typeof how === 'string') return (FAULTS[how] ?? withStatus)({ ...asked, fault: how });
  asked.response.writeHead(how.status, { 'content-type': typeOf(how.body), ...how.headers }).end(how.body);
}

function withStatus({ fault, protocol, key, response }: Asked): void {
  const status = Number(fault.slice('status-'.length));
  const message = `refused, key ${key} (${key.slice(0, 10)}***${key.slice(-4)})`;
  json(response, status, errorOf(protocol, status, message), status === 429 ? { 'retry-after': '7' } : {});
}
