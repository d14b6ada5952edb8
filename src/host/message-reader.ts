import type { Socket } from 'node:net';
import { type DataCallback, Emitter, type Message, type MessageReader } from 'vscode-jsonrpc/node';
import { isMessage } from './is-message.ts';

/*
 * Takes apart what comes over a socket, in the framing of vscode-jsonrpc, whose own reader takes any amount of anything:
 * a header, a message or a time that is over its limit ends the connection, and so does whatever is no message.
 */

export interface ReadLimits {
  /** Bytes of one message, asked for each. */
  readonly mostBytes: () => number;
  /** Milliseconds for a message that has begun. */
  readonly patience: number;
}

const HEADER_END = '\r\n\r\n';
const MOST_HEADER = 256;
const LENGTH = /^Content-Length: *(\d{1,10}) *$/im;

interface Frames {
  /** Gives the bodies that are whole now. Throws when it is none. */
  take(chunk: Buffer): readonly Buffer[];
  /** Has one begun? */
  isPartial(): boolean;
}

function framesOf(mostBytes: () => number): Frames {
  let chunks: Buffer[] = [];
  let have = 0;
  let need: number | null = null;

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
      if (have >= MOST_HEADER || !couldBeHeader(start)) throw new Error('it is no message of the host protocol');
      return null;
    }
    const length = Number(LENGTH.exec(start.slice(0, end))?.[1] ?? Number.NaN);
    if (Number.isNaN(length)) throw new Error('a message does not say its length');
    if (length > mostBytes()) throw new Error(`a message has ${length} bytes; at most ${mostBytes()} are taken`);
    drop(end + HEADER_END.length);
    return length;
  };

  return {
    take: (chunk) => {
      chunks.push(chunk);
      have += chunk.length;
      const bodies: Buffer[] = [];
      for (;;) {
        if (have > 0) need ??= readHeader();
        if (need === null || have < need) return bodies;
        bodies.push(have === 0 ? Buffer.alloc(0) : joined().subarray(0, need));
        drop(need);
        need = null;
      }
    },
    isPartial: () => have > 0 || need !== null,
  };
}

/** What can't become one is refused at its first bytes. */
const couldBeHeader = (text: string): boolean => /^content-/i.test(text) || 'content-'.startsWith(text.toLowerCase());

function parse(body: Buffer): Message {
  const value: unknown = JSON.parse(body.toString('utf8'));
  if (!isMessage(value)) throw new Error('it is no JSON-RPC message');
  return value;
}

/** Tells trouble once, and takes nothing more then; the socket is left to whoever hears of it. */
export function messageReader(socket: Socket, { mostBytes, patience }: ReadLimits): MessageReader {
  const errors = new Emitter<Error>();
  const closes = new Emitter<void>();
  const partial = new Emitter<{ messageToken: number; waitingTime: number }>();
  const frames = framesOf(mostBytes);
  let late: NodeJS.Timeout | null = null;
  let over = false;

  const calm = (): void => {
    if (late !== null) clearTimeout(late);
    late = null;
  };
  const fail = (thrown: unknown): void => {
    over = true;
    calm();
    errors.fire(thrown instanceof Error ? thrown : new Error(String(thrown)));
  };
  const read = (chunk: Buffer, callback: DataCallback): void => {
    if (over) return;
    try {
      const bodies = frames.take(chunk);
      if (bodies.length > 0 || !frames.isPartial()) calm();
      if (frames.isPartial()) late ??= setTimeout(() => fail(new Error('a message was not completed')), patience);
      for (const body of bodies) callback(parse(body));
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
