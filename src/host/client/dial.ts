import { createConnection, type Socket } from 'node:net';
import { createMessageConnection, type MessageConnection, NullLogger } from 'vscode-jsonrpc/node';
import { RoboSmithError } from '#protocol/error.ts';
import { type HelloResult, HOST_PROTOCOL } from '#protocol/host.ts';
import type { HostClient } from '#protocol/host-client.ts';
import { createListeners } from '../wire/listeners.ts';
import { tokenOf } from '../wire/host-place.ts';
import { messageReader } from '../wire/message-reader.ts';
import { messageWriter } from '../wire/message-writer.ts';
import { LARGE_BYTES } from '../wire/limits.ts';
import { fromRpcError } from '../wire/rpc-error.ts';

export interface DialParts {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The displayed name of the client. */
  readonly client: string;
  /** Accepts a host with another protocol version, to stop it. */
  readonly anyVersion?: boolean;
  /** True if a command that serves the project must not end while this client is connected. */
  readonly holds?: boolean;
}

/** A Response can be as large as its payload. */
const LIMITS = { mostBytes: () => 1e9, timeout: 60_000 };
const MOST_UNREAD = 1e9;

/** The assumed size in bytes of a request without its parameters. */
const FRAME_BYTES = 256;

const HELLO_MS = 10_000;

/** Errors that mean that no host is listening. */
const NOBODY: ReadonlySet<string> = new Set(['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE']);

const isNobody = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && NOBODY.has(String(thrown.code));

/** Connects to a socket. Returns null if no host is listening there, even if the engine lock names the socket. */
export async function dial(socket: string, parts: DialParts): Promise<HostClient | null> {
  try {
    const token = tokenOf(socket, parts.environment);
    if (token === null) throw untrusted(socket);
    return await greet(await connected(socket), token, parts);
  } catch (thrown) {
    if (isNobody(thrown)) return null;
    throw thrown;
  }
}

/** Returns the error for a socket that a hostile project may have created. Nothing is sent to such a socket. */
const untrusted = (socket: string): RoboSmithError =>
  new RoboSmithError(
    'host_denied',
    `.flow/engine.lock names a socket that was not created by an engine host of yours on this machine: ${socket}. Either the file was copied with the project, or that host was started with another TMPDIR or XDG_RUNTIME_DIR.`,
    { next: ['robosmith doctor', 'robosmith runs'] },
  );

async function connected(path: string): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = createConnection(path);
  socket.once('error', reject);
  socket.once('connect', () => resolve(socket));
  const connection = await promise;
  socket.off('error', reject);
  // An error is followed by the close event, which handles it.
  socket.on('error', () => undefined);
  return connection;
}

async function greet(
  socket: Socket,
  token: string,
  { client, anyVersion, holds }: DialParts,
): Promise<HostClient | null> {
  const connection = createMessageConnection(
    messageReader(socket, LIMITS),
    messageWriter(socket, MOST_UNREAD),
    NullLogger,
  );
  const gone = Promise.withResolvers<undefined>();
  let isGone = false;
  /**
   * The pending requests. Each removes itself when it is answered: a promise for the whole connection would keep all
   * answers in memory.
   */
  const waiting = new Set<(lost: RoboSmithError) => void>();
  socket.once('close', () => {
    isGone = true;
    gone.resolve(undefined);
    for (const lose of [...waiting]) lose(goneAway());
    connection.dispose();
  });
  connection.onError(() => socket.destroy());
  connection.onUnhandledNotification(() => undefined);
  connection.listen();
  const late = setTimeout(() => socket.destroy(), HELLO_MS);

  const send = async (method: string, params: unknown): Promise<unknown> => {
    checkSize(method, params);
    if (isGone) throw goneAway({ unsent: true });
    const lost = Promise.withResolvers<never>();
    waiting.add(lost.reject);
    try {
      return await Promise.race([connection.sendRequest(method, params), lost.promise]);
    } catch (thrown) {
      throw fromRpcError(thrown);
    } finally {
      waiting.delete(lost.reject);
    }
  };
  try {
    const holding = holds === true ? { holds } : {};
    const about = (await send('hello', { protocol: HOST_PROTOCOL, token, client, ...holding })) as HelloResult;
    if (about.protocol !== HOST_PROTOCOL && anyVersion !== true) throw otherVersion(about);
    return {
      about,
      call: send as HostClient['call'],
      on: listeners(connection),
      gone: gone.promise,
      close: () => socket.destroy(),
    };
  } catch (thrown) {
    socket.destroy();
    // The host stopped during the handshake.
    if (RoboSmithError.is(thrown, 'host_failed')) return null;
    throw thrown;
  } finally {
    clearTimeout(late);
  }
}

const goneAway = (data: RoboSmithError['data'] = {}): RoboSmithError =>
  new RoboSmithError('host_failed', 'The connection to the engine host was lost.', data);

/** Distributes notifications to several listeners: the library keeps only one per name. */
function listeners(connection: MessageConnection): HostClient['on'] {
  const { on, publish } = createListeners((name) =>
    connection.onNotification(name, (notice: unknown) => publish(name, notice)),
  );
  return on;
}

/** Throws for a request that is too large; the host would only close the connection. */
function checkSize(method: string, params: unknown): void {
  const bytes = Buffer.byteLength(JSON.stringify(params));
  if (bytes + FRAME_BYTES <= LARGE_BYTES) return;
  throw new RoboSmithError('usage', `${method} has ${bytes} bytes; the engine host accepts ${LARGE_BYTES} at most.`, {
    next: ['robosmith host stop', 'robosmith run --help'],
  });
}

const otherVersion = ({ version, protocol }: HelloResult): RoboSmithError =>
  new RoboSmithError(
    'host_version',
    `The engine host has RoboSmith version ${version} and speaks protocol ${protocol}; this version speaks ${HOST_PROTOCOL}.`,
    { next: ['robosmith host stop'] },
  );
