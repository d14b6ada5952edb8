import { Agent, EnvHttpProxyAgent } from 'undici';
import { exchange } from './exchange.ts';
import { lastEventFinder } from './last-event.ts';
import { proxySettings } from './proxy-settings.ts';

/** The data that the single request of an attempt has received. */
export interface Tap {
  /** The HTTP status, or null if no headers arrived. */
  status: number | null;
  headers: Headers;
  /** The first `KEPT` characters of the decoded body. */
  text: string;
  /** The last `TAIL` characters of the body, where an error event would be. */
  tail: string;
  /** True if the body is a stream of server-sent events. */
  streams: boolean;
  /** The error of the request or of its body, or null. */
  failure: unknown;
  readonly fetch: (url: string, asked: TappedRequest) => Promise<Response>;
}

const KEPT = 1_000_000;
const TAIL = 16_384;

/** The maximum size of an answer in bytes, so that a hostile server can't fill the memory. */
const LARGEST = 64 * 1024 * 1024;
const LARGEST_ERROR = 1024 * 1024;

const LOGGED_HEADERS =
  /^(?:location|retry-after.*|x-ms-retry-after-ms|.*ratelimit.*|x-should-retry|date|content-type|content-length|.*request-id|cf-ray|server)$/;

type Headers = Readonly<Record<string, string>>;

/** Removes the query of a redirect's URL, because it may contain a token. */
const withoutQuery = (name: string, value: string): string =>
  name === 'location' ? value.replace(/[?#].*/s, '') : value;

const loggedHeaders = (headers: Headers): Headers =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => LOGGED_HEADERS.test(name))
      .map(([name, value]) => [name, withoutQuery(name, value)]),
  );

interface TappedRequest {
  readonly method?: string | undefined;
  readonly headers: Headers;
  readonly body?: string | null;
  readonly signal?: AbortSignal | null | undefined;
}

class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/**
 * Creates the connection pool. Its limits on headers and bodies are off, because undici's defaults would end a slow
 * model after 5 minutes. Proxies come from the environment; Node itself reads certificates from NODE_EXTRA_CA_CERTS.
 */
export function createDispatcher(connectMs: number, proxied: boolean): Agent | EnvHttpProxyAgent {
  const connect = { timeout: connectMs } as const;
  const options = { headersTimeout: 0, bodyTimeout: 0, connect } as const;
  if (!proxied) return new Agent(options);
  // The time limit applies both to the proxy and to the connection through it.
  return new EnvHttpProxyAgent({ ...options, proxyTls: connect, requestTls: connect, ...proxySettings() });
}

/**
 * Matches an event of a stream. A comment does not count: it may come from a proxy, or mean that the model has not
 * started.
 */
const EVENT = /(?:^|[\r\n])(?:data|event):/;

/**
 * Creates a fetch for one attempt that keeps what it receives. `onBytes` is called for the headers and for each chunk;
 * its argument says whether an event begins in the chunk.
 */
export function createTap(dispatcher: Agent | EnvHttpProxyAgent, onBytes: (isEvent: boolean) => void): Tap {
  const decoder = new TextDecoder();
  const isLastEvent = lastEventFinder();
  let size = 0;
  let largest = LARGEST;
  const keep = (chunk: Uint8Array): boolean => {
    size += chunk.byteLength;
    if (size > largest) throw new BodyTooLarge();
    const text = decoder.decode(chunk, { stream: true });
    // A chunk may begin within `data:` or `event:`, so the end of the previous chunk is searched again.
    onBytes(tap.streams && EVENT.test(tap.tail.slice(-'event:'.length) + text));
    if (tap.text.length < KEPT) tap.text += text.slice(0, KEPT - tap.text.length);
    tap.tail = (tap.tail + text).slice(-TAIL);
    return tap.streams && isLastEvent(text);
  };
  const tap: Tap = {
    status: null,
    headers: {},
    text: '',
    tail: '',
    streams: false,
    failure: null,
    // Redirects are not followed, since a redirect to another host would also send the key, which is in a non-standard
    // header.
    fetch: (url, { method = 'GET', headers, body = null, signal = null }) => {
      const sent = { url, method, headers, body, signal };
      return exchange(dispatcher, sent, {
        onHead: (status, head) => {
          onBytes(false);
          const isGood = status >= 200 && status <= 299;
          largest = isGood ? LARGEST : LARGEST_ERROR;
          tap.status = status;
          tap.headers = loggedHeaders(head);
          tap.streams = isGood && head['content-type']?.includes('text/event-stream') === true;
        },
        onChunk: keep,
        onFailure: (thrown) => {
          tap.failure ??= thrown;
        },
      });
    },
  };
  return tap;
}
