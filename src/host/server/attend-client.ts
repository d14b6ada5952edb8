import { LARGE_BYTES } from '../wire/limits.ts';
import { timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import {
  createMessageConnection,
  Message,
  type MessageConnection,
  type MessageWriter,
  NullLogger,
} from 'vscode-jsonrpc/node';
import { RoboSmithError } from '#protocol/error.ts';
import { type HelloResult, HOST_PROTOCOL, type HostMethod } from '#protocol/host.ts';
import { messageReader } from '../wire/message-reader.ts';
import { messageWriter } from '../wire/message-writer.ts';
import { type PendingRequests, pendingRequests } from '../wire/pending-requests.ts';
import { startTimeout } from '../wire/timeout.ts';
import { connectionMemory, requestMemory } from '../wire/request-memory.ts';
import type { Caller, MethodTable } from './methods/methods.ts';
import { countOf, flagOf, paramsOf, textOf } from './methods/read-params.ts';
import { toRpcError } from '../wire/rpc-error.ts';

export interface ClientParts {
  readonly token: string;
  readonly about: HelloResult;
  readonly methods: MethodTable;
  readonly log: (message: string) => void;
  readonly limits?: Partial<ClientLimits>;
  /** Called if the host must not end while this client is connected. */
  readonly onHold: () => void;
}

export interface ClientLimits {
  /** The time limit in milliseconds for the hello message, and for receiving each later message. */
  readonly timeout: number;
  /**
   * The maximum size in bytes of the hello message (`hello`), of messages with long texts written by people (`large`),
   * and of all others (`message`).
   */
  readonly hello: number;
  readonly message: number;
  readonly large: number;
  /** The maximum number of values in a message. */
  readonly values: number;
  /** The maximum number of bytes that a client may leave unread. */
  readonly unread: number;
  /** The maximum number of pending requests. */
  readonly requests: number;
}

const LIMITS: ClientLimits = {
  timeout: 5_000,
  hello: 4_096,
  message: 256 * 1_024,
  large: LARGE_BYTES,
  values: 100_000,
  unread: 64e6,
  requests: 1_000,
};

/** Methods with texts of any length: inputs, plans and guidance. */
const LARGE: ReadonlySet<string> = new Set<HostMethod>([
  ...(['run.start', 'run.resume', 'run.answer'] as const),
  ...(['session.create', 'session.change', 'session.rerun', 'view.send', 'calls.rerun'] as const),
]);

/** Shared by all clients, since it limits the memory of the process. */
const memory = requestMemory(64e6);

/** Methods that a client with another protocol version may call, so that it can stop this host. */
const FOR_ANYBODY: ReadonlySet<string> = new Set(['status', 'host.stop']);

const denied = (message: string): RoboSmithError =>
  new RoboSmithError('host_denied', message, { next: ['robosmith doctor', 'robosmith host status'] });

const isSame = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
};

function checkVersion(protocol: number, method: string, { version }: HelloResult): void {
  if (protocol === HOST_PROTOCOL || FOR_ANYBODY.has(method)) return;
  const message = `This host has RoboSmith version ${version} and speaks protocol ${HOST_PROTOCOL}; the client speaks ${protocol}.`;
  throw new RoboSmithError('host_version', message, { next: ['robosmith host stop'] });
}

/** The first exchange of a connection. `protocol` returns the client's version; null before its hello. */
function createHandshake(
  { token, about, onHold }: Pick<ClientParts, 'token' | 'about' | 'onHold'>,
  onDone: () => void,
) {
  let protocol: number | null = null;
  return {
    protocol: (): number | null => protocol,
    /** Answers hello. Throws `host_denied` for a wrong token or a second hello. */
    hello: (params: unknown): HelloResult => {
      const given = paramsOf(params);
      if (protocol !== null) throw denied('This connection has already sent hello.');
      if (!isSame(textOf(given, 'token', 256), token))
        throw denied('The token is not the one in the file beside the socket.');
      protocol = countOf(given, 'protocol');
      if (flagOf(given, 'holds')) onHold();
      onDone();
      return about;
    },
    /** Throws if the client may not call this method yet, or not in its version. */
    check: (method: string): void => {
      if (protocol === null) throw denied('The first message must be hello.');
      checkVersion(protocol, method, about);
    },
  };
}

/** Serves one client until either side closes the connection. Invalid input closes only this connection. */
export function attendClient(socket: Socket, { token, about, methods, log, onHold, ...parts }: ClientParts): void {
  const limits = { ...LIMITS, ...parts.limits };
  let openRequests = 0;
  const leave: (() => void)[] = [];
  const mine = connectionMemory(memory);
  const pending = pendingRequests(socket);
  const bytesOf = new WeakMap<object, number>();
  const handshake = createHandshake({ token, about, onHold }, () => notLate());
  const mostBytes = (method?: string | null): number => {
    if (handshake.protocol() === null) return limits.hello;
    return method === undefined || (method !== null && LARGE.has(method)) ? limits.large : limits.message;
  };
  const reader = messageReader(socket, {
    mostBytes,
    timeout: limits.timeout,
    requests: {
      pending,
      memory: mine,
      mostValues: limits.values,
      onRequest: (params, bytes) => void bytesOf.set(params, bytes),
    },
  });
  const connection = createMessageConnection(reader, answeringWriter(socket, limits.unread, pending), NullLogger);
  const notLate = startTimeout(limits.timeout, () => end('it did not send hello in time'));

  const end = (why: string | null): void => {
    notLate();
    if (why !== null && !socket.destroyed) log(`a client was disconnected: ${why}`);
    socket.destroy();
  };
  const caller: Caller = {
    isLocal: false,
    notify: (name, notice) => connection.sendNotification(name, notice),
    onGone: (work) => {
      if (socket.destroyed) work();
      else leave.push(work);
    },
  };
  const answer = (method: string, params: unknown): unknown => {
    if (method === 'hello') return handshake.hello(params);
    handshake.check(method);
    const handler = methods.get(method);
    if (handler === undefined)
      throw new RoboSmithError('usage', `There is no method "${method}".`, { next: ['robosmith host status'] });
    if (openRequests > limits.requests)
      throw new RoboSmithError(
        'usage',
        `More than ${limits.requests} requests of this connection are pending: wait for some of them.`,
        { next: ['robosmith host status'] },
      );
    return handler(params ?? {}, caller);
  };

  socket.on('error', () => end(null));
  socket.once('close', () => {
    notLate();
    connection.dispose();
    mine.end();
    for (const work of leave) work();
  });
  connection.onError(([error]) => end(error.message));
  connection.onRequest(async (method: string, params: unknown) => {
    openRequests += 1;
    pending.begun();
    try {
      return await answer(method, params);
    } catch (thrown) {
      if (handshake.protocol() === null) endSoon(socket);
      return toRpcError(thrown);
    } finally {
      openRequests -= 1;
      const bytes = typeof params === 'object' && params !== null ? bytesOf.get(params) : undefined;
      if (bytes !== undefined) mine.give(bytes);
    }
  });
  listenTo(connection, end);
}

/** Returns a writer that removes requests from the pending ones when their answers are sent. */
function answeringWriter(socket: Socket, mostUnread: number, { answered }: PendingRequests): MessageWriter {
  const writer = messageWriter(socket, mostUnread);
  return {
    ...writer,
    write: (message) => {
      if (Message.isResponse(message) && message.id !== null) answered(message.id);
      return writer.write(message);
    },
  };
}

/** Closes the connection in a later turn of the event loop, so that the message with the reason is sent before. */
const endSoon = (socket: Socket): void => void setImmediate(() => setImmediate(() => socket.destroySoon()));

/** Starts listening. A write to a client that has disconnected rejects inside the library, and is ignored. */
function listenTo(connection: MessageConnection, end: (why: string | null) => void): void {
  connection.onClose(() => end(null));
  connection.onUnhandledNotification(() => undefined);
  connection.listen();
}
