import { createConnection, type Socket } from 'node:net';

interface Answer {
  readonly id?: number | string;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: { readonly code?: string } };
}

export interface RawClient {
  readonly socket: Socket;
  send(bytes: string | Uint8Array): void;
  /** Sends a request and resolves with its answer; rejects when the connection ends. */
  ask(method: string, params?: unknown): Promise<Answer>;
  hello(token: string, protocol?: number): Promise<Answer>;
  /** The answers that the host has sent, also those to requests that were sent with `send`. */
  readonly answers: readonly Answer[];
  /** The notifications that the host has sent. */
  readonly notices: readonly { readonly method: string; readonly params: unknown }[];
  /** Resolves when the host has closed the connection. */
  readonly closed: Promise<void>;
  /** Calls `find` after each message, and resolves with the first value that is not undefined. */
  when<Value>(find: () => Value | undefined): Promise<Value>;
  close(): void;
}

const frame = (message: unknown): string => {
  const body = JSON.stringify(message);
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
};

/** Opens a client that implements only the framing of messages. */
export async function rawClient(path: string): Promise<RawClient> {
  const socket = createConnection(path);
  const closed = Promise.withResolvers<undefined>();
  const notices: { method: string; params: unknown }[] = [];
  const answers: Answer[] = [];
  const waiting = new Map<number | string, PromiseWithResolvers<Answer>>();
  const watchers = new Set<() => void>();
  let last = 0;
  let text = Buffer.alloc(0);

  const take = (message: Answer & { readonly method?: string; readonly params?: unknown }): void => {
    if (message.method !== undefined) notices.push({ method: message.method, params: message.params });
    else {
      answers.push(message);
      waiting.get(message.id ?? 0)?.resolve(message);
    }
    for (const watcher of [...watchers]) watcher();
  };
  socket.on('data', (chunk: Buffer) => {
    text = Buffer.concat([text, chunk]);
    for (;;) {
      const end = text.indexOf('\r\n\r\n');
      const length = Number(/Content-Length: (\d+)/.exec(text.subarray(0, Math.max(0, end)).toString())?.[1] ?? 0);
      if (end === -1 || text.length < end + 4 + length) return;
      take(JSON.parse(text.subarray(end + 4, end + 4 + length).toString()) as Answer);
      text = text.subarray(end + 4 + length);
    }
  });
  socket.on('error', () => undefined);
  socket.once('close', () => {
    closed.resolve(undefined);
    for (const one of waiting.values()) one.reject(new Error('the connection is closed'));
  });
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));

  const ask = (method: string, params: unknown = {}): Promise<Answer> => {
    last += 1;
    const answer = Promise.withResolvers<Answer>();
    // Without this handler, an answer that the test doesn't await would be an unhandled rejection.
    answer.promise.catch(() => undefined);
    waiting.set(last, answer);
    socket.write(frame({ jsonrpc: '2.0', id: last, method, params }));
    return answer.promise;
  };
  return {
    socket,
    answers,
    notices,
    ask,
    send: (bytes) => void socket.write(bytes),
    hello: (token, protocol = 1) => ask('hello', { protocol, token, client: 'a test' }),
    closed: closed.promise,
    when: <Value>(find: () => Value | undefined) =>
      new Promise<Value>((resolve) => {
        const look = (): void => {
          const found = find();
          if (found === undefined) return;
          watchers.delete(look);
          resolve(found);
        };
        watchers.add(look);
        look();
      }),
    close: () => socket.destroy(),
  };
}
