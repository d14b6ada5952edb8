import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { AiRequest } from '#protocol/ai-call.ts';
import { loadProvider } from './models.ts';
import type { Tap } from './wire-tap.ts';

/**
 * A private header that identifies the attempt to which a request belongs; it is never sent. Models are cached and
 * shared by attempts, because creating a model builds schemas and takes longer than starting a call.
 */
const ATTEMPT = 'x-robosmith-attempt';

/** The maximum number of cached models. The cache key consists of API key, URL and name. */
const MOST = 256;

interface ModelCache {
  /** Returns the model that a request names; its calls pass through this attempt's tap. */
  open(request: AiRequest, secret: string, tap: Tap): Promise<OpenModel>;
}

export interface OpenModel {
  readonly model: LanguageModelV4;
  /** The headers that a call with this model must send. */
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
    if (tap === undefined) return Promise.reject(new Error('this request belongs to an attempt that has ended'));
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
