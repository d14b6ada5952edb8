import { Agent, EnvHttpProxyAgent } from 'undici';
import { exchange } from './exchange.ts';
import { lastEventFinder } from './last-event.ts';
import { proxySettings } from './proxy-settings.ts';

/** What an attempt's only request gave, as it came. */
export interface Tap {
  /** Null: no headers came. */
  status: number | null;
  headers: Headers;
  /** Of the body, decoded; its first `KEPT` characters. */
  text: string;
  /** The last characters of a longer body: where an error event is. */
  tail: string;
  /** Is the body a stream of events? */
  streams: boolean;
  /** Why the request failed, or its body broke off. */
  failure: unknown;
  readonly fetch: (url: string, asked: Asked) => Promise<Response>;
}

const KEPT = 1_000_000;
const TAIL = 16_384;

/** No answer of a model is so large; a hostile one would fill the memory. */
const LARGEST = 64 * 1024 * 1024;
const LARGEST_ERROR = 1024 * 1024;

const TOLD =
  /^(?:retry-after.*|x-ms-retry-after-ms|.*ratelimit.*|x-should-retry|date|content-type|content-length|.*request-id|cf-ray|server)$/;

type Headers = Readonly<Record<string, string>>;

const told = (headers: Headers): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => TOLD.test(name)));

interface Asked {
  readonly method?: string | undefined;
  readonly headers: Headers;
  readonly body?: string | null;
  readonly signal?: AbortSignal | null | undefined;
}

class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/** The limits on headers and bodies are ours: the library's end a slow model after 5 minutes. Proxies are those of the environment; so are certificates, by Node's own NODE_EXTRA_CA_CERTS. */
export function createDispatcher(connectMs: number, proxied: boolean): Agent | EnvHttpProxyAgent {
  const connect = { timeout: connectMs } as const;
  const options = { headersTimeout: 0, bodyTimeout: 0, connect } as const;
  if (!proxied) return new Agent(options);
  // To the proxy, and through it.
  return new EnvHttpProxyAgent({ ...options, proxyTls: connect, requestTls: connect, ...proxySettings() });
}

/** A comment is a proxy's, or says that the model has not been reached. */
const EVENT = /(?:^|[\r\n])(?:data|event):/;

/** A fetch for one attempt that keeps what went through it. `onBytes` is called for the headers and for each part of the body, and told whether an event of a stream begins in it. */
export function createTap(dispatcher: Agent | EnvHttpProxyAgent, onBytes: (isEvent: boolean) => void): Tap {
  const decoder = new TextDecoder();
  const isLastEvent = lastEventFinder();
  let size = 0;
  let largest = LARGEST;
  const keep = (chunk: Uint8Array): boolean => {
    size += chunk.byteLength;
    if (size > largest) throw new BodyTooLarge();
    const text = decoder.decode(chunk, { stream: true });
    // Its name can be cut in two.
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
    // Followed to another host, a redirect would take the key along: it is in a header that no standard knows.
    fetch: (url, { method = 'GET', headers, body = null, signal = null }) => {
      const sent = { url, method, headers, body, signal };
      return exchange(dispatcher, sent, {
        onHead: (status, head) => {
          onBytes(false);
          const isGood = status >= 200 && status <= 299;
          largest = isGood ? LARGEST : LARGEST_ERROR;
          tap.status = status;
          tap.headers = told(head);
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
