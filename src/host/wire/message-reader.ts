import type { Socket } from 'node:net';
import { type DataCallback, Emitter, Message, type MessageReader } from 'vscode-jsonrpc/node';
import { countValues } from './count-values.ts';
import { isMessage } from './is-message.ts';
import { startTimeout } from './timeout.ts';
import type { PendingRequests } from './pending-requests.ts';
import type { RequestMemory } from './request-memory.ts';

/*
 * Splits a stream into messages, in the framing of vscode-jsonrpc. Unlike that library's reader, it limits sizes and
 * times: exceeding a limit, or anything that is not a message, closes the connection.
 */

interface ReadLimits {
  /**
   * Returns the maximum size of a message in bytes. Called without a method before the message arrives, and then with
   * the message's method, or with null if the message doesn't begin with a method.
   */
  readonly mostBytes: (method?: string | null) => number;
  /** The time limit in milliseconds for a message that has begun to arrive. */
  readonly timeout: number;
  /** Limits for the receiver of requests. It ignores all other messages. */
  readonly requests?: {
    readonly pending: Pick<PendingRequests, 'add'>;
    /** The memory budget. A request's share is returned once the request is answered. */
    readonly memory: RequestMemory;
    /** The maximum number of values in one message. */
    readonly mostValues: number;
    /**
     * Called with the parameters of each request that holds a share of the memory budget, and with the size of that
     * share.
     */
    readonly onRequest: (params: object, bytes: number) => void;
  };
}

const HEADER_END = '\r\n\r\n';
const MOST_HEADER = 256;
/** The number of bytes of a body that are searched for its method. */
const HEAD_BYTES = 256;
const METHOD = /^\{"jsonrpc":"2\.0",(?:"id":(?:\d{1,16}|"[^"\\]{0,64}"),)?"method":"([\w.]{1,64})"/;
const LENGTH = /^Content-Length: *(\d{1,10}) *$/im;

interface Frames {
  /** Adds a chunk and returns the bodies that are complete. Throws for an invalid message. */
  take(chunk: Buffer): readonly Buffer[];
  /** Returns whether a message has begun to arrive. */
  isPartial(): boolean;
}

function framesOf({ mostBytes, requests }: ReadLimits): Frames {
  let chunks: Buffer[] = [];
  let have = 0;
  let need: number | null = null;
  let isAdmitted = false;

  const joined = (): Buffer => {
    const whole = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
    chunks = [whole];
    return whole;
  };
  const drop = (bytes: number): void => {
    const rest = joined().subarray(bytes);
    chunks = rest.length === 0 ? [] : [rest];
    have = rest.length;
  };
  const readHeader = (): number | null => {
    const start = joined().subarray(0, MOST_HEADER).toString('latin1');
    const end = start.indexOf(HEADER_END);
    if (end === -1) {
      if (have >= MOST_HEADER || !couldBeHeader(start)) throw new Error('it is not a message of the host protocol');
      return null;
    }
    const length = Number(LENGTH.exec(start.slice(0, end))?.[1] ?? Number.NaN);
    if (Number.isNaN(length)) throw new Error('a message has no Content-Length');
    checkSize(length, mostBytes());
    drop(end + HEADER_END.length);
    return length;
  };
  /** Checks the size limit once enough of the body has arrived to find its method. Returns false before that. */
  const admit = (length: number): boolean => {
    if (isAdmitted) return true;
    if (length > HEAD_BYTES) {
      if (have < HEAD_BYTES) return false;
      checkSize(length, mostBytes(METHOD.exec(joined().subarray(0, HEAD_BYTES).toString('latin1'))?.[1] ?? null));
    }
    if (requests?.memory.take(length) === false) throw new Error('the memory limit for requests is reached');
    isAdmitted = true;
    return true;
  };

  return {
    take: (chunk) => {
      chunks.push(chunk);
      have += chunk.length;
      const bodies: Buffer[] = [];
      for (;;) {
        if (have > 0) need ??= readHeader();
        if (need === null || !admit(need) || have < need) return bodies;
        bodies.push(have === 0 ? Buffer.alloc(0) : joined().subarray(0, need));
        drop(need);
        need = null;
        isAdmitted = false;
      }
    },
    isPartial: () => have > 0 || need !== null,
  };
}

/** Returns whether the bytes so far can become a header; anything else is refused at once. */
const couldBeHeader = (text: string): boolean => /^content-/i.test(text) || 'content-'.startsWith(text.toLowerCase());

function checkSize(length: number, most: number): void {
  if (length > most) throw new Error(`a message has ${length} bytes; at most ${most} are taken`);
}

function parse(body: Buffer, { requests }: ReadLimits): Message {
  if (requests !== undefined && countValues(body, requests.mostValues) > requests.mostValues)
    throw new Error(`a message has more than ${requests.mostValues} values`);
  const value: unknown = JSON.parse(body.toString('utf8'));
  if (!isMessage(value)) throw new Error('it is not a JSON-RPC message');
  return value;
}

/**
 * Returns whether the receiver handles a message, and charges it to the memory budget: a request with parameters holds
 * its share until it is answered.
 */
function accepts(message: Message, bytes: number, { requests }: ReadLimits): boolean {
  if (requests === undefined) return true;
  const isRequest = Message.isRequest(message);
  if (isRequest) requests.pending.add(message.id ?? '');
  const params = isRequest ? (message.params ?? null) : null;
  if (typeof params === 'object' && params !== null) requests.onRequest(params, bytes);
  else requests.memory.give(bytes);
  return isRequest;
}

/** The maximum number of turns of the event loop for which a message may continue to arrive after its time limit. */
const MOST_TURNS = 64;

/** Returns a reader. It reports an error once and then reads nothing more; closing the socket is up to the caller. */
export function messageReader(socket: Socket, limits: ReadLimits): MessageReader {
  const errors = new Emitter<Error>();
  const closes = new Emitter<void>();
  const partial = new Emitter<{ messageToken: number; waitingTime: number }>();
  const frames = framesOf(limits);
  let late: (() => void) | null = null;
  let turns = 0;
  let over = false;

  const calm = (): void => {
    late?.();
    late = null;
    turns = 0;
  };
  const fail = (thrown: unknown): void => {
    over = true;
    calm();
    errors.fire(thrown instanceof Error ? thrown : new Error(String(thrown)));
  };
  /**
   * Handles an exceeded time limit. As long as each turn of the event loop brings more data, the delay was caused by
   * this process, not by the sender, so the message gets another turn.
   */
  const expire = (before: number): void => {
    if (!socket.isPaused()) turns += 1;
    if (socket.isPaused()) wait(limits.timeout);
    else if (socket.bytesRead === before || turns > MOST_TURNS) fail(new Error('a message was not complete in time'));
    else wait(0);
  };
  const wait = (milliseconds: number): void => {
    const before = socket.bytesRead;
    late = startTimeout(milliseconds, () => expire(before));
  };
  const read = (chunk: Buffer, callback: DataCallback): void => {
    if (over) return;
    try {
      const bodies = frames.take(chunk);
      if (bodies.length > 0 || !frames.isPartial()) calm();
      if (frames.isPartial() && late === null) wait(limits.timeout);
      for (const body of bodies) {
        const message = parse(body, limits);
        if (accepts(message, body.length, limits)) callback(message);
      }
    } catch (thrown) {
      fail(thrown);
    }
  };

  return {
    onError: errors.event,
    onClose: closes.event,
    onPartialMessage: partial.event,
    listen: (callback) => {
      const onData = (chunk: Buffer): void => read(chunk, callback);
      socket.on('data', onData);
      socket.once('close', () => {
        calm();
        closes.fire();
      });
      return { dispose: () => void socket.off('data', onData) };
    },
    dispose: calm,
  };
}
