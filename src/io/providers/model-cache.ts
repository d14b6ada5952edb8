import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { AiRequest } from '#protocol/ai-call.ts';
import { loadProvider } from './models.ts';
import type { Tap } from './wire-tap.ts';

/** A model builds schemas when it is made, which takes longer than a call: it is kept, and its requests find their attempt by this header, which is never sent. */
const ATTEMPT = 'x-robosmith-attempt';

/** Models by key, address and name; more than anybody has. */
const MOST = 256;

export interface ModelCache {
  /** What calls the model of a request with a key, through this attempt's tap. */
  open(request: AiRequest, secret: string, tap: Tap): Promise<OpenModel>;
}

export interface OpenModel {
  readonly model: LanguageModelV4;
  /** For the call's options. */
  readonly headers: Readonly<Record<string, string>>;
  close(): void;
}

export function createModelCache(): ModelCache {
  const models = new Map<string, LanguageModelV4>();
  const taps = new Map<string, Tap>();
  let attempts = 0;

  const fetch: typeof globalThis.fetch = (url, init) => {
    const { [ATTEMPT]: attempt = '', ...headers } = Object.fromEntries(new Headers(init?.headers));
    const tap = taps.get(attempt);
    if (tap === undefined) return Promise.reject(new Error('a request of an attempt that is over'));
    const { method, body, signal } = init ?? {};
    const address = url instanceof Request ? url.url : String(url);
    return tap.fetch(address, { method, headers, body: typeof body === 'string' ? body : null, signal });
  };

  async function modelFor(request: AiRequest, secret: string): Promise<LanguageModelV4> {
    const name = JSON.stringify([request.provider, request.baseUrl, request.model, secret]);
    const known = models.get(name);
    const model = known ?? (await loadProvider(request.provider))(request, { secret, fetch });
    models.delete(name);
    models.set(name, model);
    const [oldest] = models.keys();
    if (models.size > MOST && oldest !== undefined) models.delete(oldest);
    return model;
  }

  return {
    open: async (request, secret, tap) => {
      const model = await modelFor(request, secret);
      const attempt = String((attempts += 1));
      taps.set(attempt, tap);
      return { model, headers: { [ATTEMPT]: attempt }, close: () => void taps.delete(attempt) };
    },
  };
}
