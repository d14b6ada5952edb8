import { Agent, EnvHttpProxyAgent } from 'undici';
import { exchange } from './exchange.ts';
import { proxyFor, proxySettings } from './proxy-settings.ts';
import { createStreamEvents, type StreamEvents } from './stream-events.ts';

/** The data that the single request of an attempt has received. */
export interface Tap {
  /** The address that was asked, without its query, or null before the request. */
  address: string | null;
  /** The proxy that was used, for messages, or null. */
  proxy: string | null;
  /** The HTTP status, or null if no headers arrived. */
  status: number | null;
  headers: Headers;
  /** The first `KEPT` characters of the decoded body. */
  text: string;
  /** True if the body is a stream of server-sent events. */
  streams: boolean;
  readonly events: Pick<StreamEvents, 'isAccepted' | 'isEnded' | 'error'>;
  /** The error of the request or of its body, or null. */
  failure: unknown;
  fetch: (url: string, asked: TappedRequest) => Promise<Response>;
}

const KEPT = 1_000_000;

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

const BLANK_LINE = new TextEncoder().encode('\n\n');

const isGood = ({ status }: Pick<Tap, 'status'>): boolean => status !== null && status >= 200 && status <= 299;

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

/** Matches the first line of a stream of events. Some servers send one with another content type, or JSON with this one. */
const EVENT_LINE = /^\s*(?:(?:data|event|id|retry)\s*:|:)/;
const JSON_START = /^\s*[{[]/;

/**
 * Creates a fetch for one attempt that keeps what it receives. `onBytes` is called for the headers and for each chunk;
 * its argument says whether the provider has accepted the request, which an event shows. A comment shows nothing: it may
 * come from a proxy, or mean that the model has not started.
 */
export function createTap(dispatcher: Agent | EnvHttpProxyAgent, onBytes: (isAccepted: boolean) => void): Tap {
  const decoder = new TextDecoder();
  const events = createStreamEvents();
  let size = 0;
  let isKnown = false;
  let largest = LARGEST;
  const keep = (chunk: Uint8Array): boolean => {
    size += chunk.byteLength;
    if (size > largest) throw new BodyTooLarge();
    const text = decoder.decode(chunk, { stream: true });
    if (!isKnown && text.trim() !== '') {
      isKnown = true;
      tap.streams = isGood(tap) && (tap.streams ? !JSON_START.test(text) : EVENT_LINE.test(text));
    }
    if (tap.text.length < KEPT) tap.text += text.slice(0, KEPT - tap.text.length);
    const isAll = tap.streams && events.add(text);
    onBytes(tap.streams && events.isAccepted);
    return isAll;
  };
  /** Ends the body. Returns bytes that end its last event, which parsers ignore if no blank line follows it. */
  const end = (): Uint8Array | null => {
    if (!tap.streams) return null;
    events.end();
    return BLANK_LINE;
  };
  const tap: Tap = {
    address: null,
    proxy: null,
    status: null,
    headers: {},
    text: '',
    streams: false,
    events,
    failure: null,
    // Redirects are not followed, since a redirect to another host would also send the key, which is in a non-standard
    // header.
    fetch: (url, { method = 'GET', headers, body = null, signal = null }) => {
      const sent = { url, method, headers, body, signal };
      tap.address = url.replace(/[?#].*/s, '');
      tap.proxy = dispatcher instanceof EnvHttpProxyAgent ? proxyFor(url) : null;
      return exchange(dispatcher, sent, {
        onHead: (status, head) => {
          onBytes(false);
          tap.status = status;
          largest = isGood(tap) ? LARGEST : LARGEST_ERROR;
          tap.headers = loggedHeaders(head);
          tap.streams = isGood(tap) && head['content-type']?.includes('text/event-stream') === true;
        },
        onChunk: keep,
        onEnd: end,
        onFailure: (thrown) => {
          tap.failure ??= thrown;
        },
      });
    },
  };
  return tap;
}
