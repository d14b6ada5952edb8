import type { Dispatcher } from 'undici';
import { after } from '../clock/long-timeout.ts';
import { ACCEPTED, type AnswerBody, answerBody } from './answer-body.ts';

export interface SentRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly signal: AbortSignal | null;
}

interface Listener {
  /** Called with the status and the headers, whose names are in lower case. */
  readonly onHead: (status: number, headers: Readonly<Record<string, string>>) => void;
  /**
   * Called with each chunk of the body. Returns true once the reader needs no more; if it throws, the exchange fails
   * with that error.
   */
  readonly onChunk: (chunk: Uint8Array) => boolean;
  /** Called at the end of the body. Returns bytes to add to it, or null. */
  readonly onEnd: () => Uint8Array | null;
  /** Called with the error of a request that failed, or of a body that broke off. */
  readonly onFailure: (thrown: unknown) => void;
}

type Heads = Readonly<Record<string, string | readonly string[] | undefined>>;

const plain = (heads: Heads): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(heads).map(([name, value]) => [name, [value ?? []].flat().join(', ')]));

const HAS_NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * The time in milliseconds that a response gets to end after its last event. If it ends in time, its connection can be
 * used again.
 */
const END_MS = 1_000;

const nobodyWaits = (): Error => new DOMException('the request was cancelled', 'AbortError');

/**
 * Sends one request, without retries. A redirect is not followed but returned as the response. This takes half the time
 * of undici's `fetch`, which also handles caches, redirects and cross-origin rules.
 */
export function exchange(dispatcher: Dispatcher, sent: SentRequest, listener: Listener): Promise<Response> {
  const { method, signal } = sent;
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  let controller: Dispatcher.DispatchController | null = null;
  let body: AnswerBody | null = null;
  let over = false;
  let stopWaiting: (() => void) | null = null;
  const end = (): boolean => {
    const was = over;
    over = true;
    stopWaiting?.();
    signal?.removeEventListener('abort', abort);
    return !was;
  };
  const fail = (thrown: unknown): void => {
    if (!end()) return;
    if (stopWaiting === null) listener.onFailure(thrown);
    reject(thrown);
    body?.fail(thrown);
    controller?.abort(thrown as Error);
  };
  const abort = (): void => fail(signal?.reason);

  const { origin, pathname, search, username, password } = new URL(sent.url);
  if (username !== '' || password !== '') fail(new TypeError('the URL contains credentials'));
  else if (signal?.aborted === true) abort();
  if (over) return promise;
  signal?.addEventListener('abort', abort, { once: true });
  const headers = { accept: '*/*', 'accept-encoding': ACCEPTED, ...sent.headers };
  const request = { origin, path: pathname + search, method, headers, body: sent.body };
  dispatcher.dispatch(request, {
    onRequestStart: (started) => {
      controller = started;
      if (over) started.abort(nobodyWaits());
    },
    onResponseStart: (started, status, heads, statusText = '') => {
      // Informational responses (1xx) precede the answer.
      if (over || status < 200) return;
      const head = plain(heads);
      listener.onHead(status, head);
      const onCancel = (): void => {
        if (end()) started.abort(nobodyWaits());
      };
      const onAll = (): void => {
        stopWaiting = after(END_MS, onCancel);
      };
      const coding = head['content-encoding'];
      const { onChunk, onEnd } = listener;
      body = answerBody({ controller: started, coding, onChunk, onEnd, onBroken: fail, onAll, onCancel });
      resolve(new Response(HAS_NO_BODY.has(status) ? null : body.stream, { status, statusText, headers: head }));
    },
    onResponseData: (_started, chunk) => {
      if (!over) body?.push(chunk);
    },
    onResponseEnd: () => {
      if (end()) body?.end();
    },
    onResponseError: (_started, thrown) => fail(thrown),
  });
  return promise;
}
