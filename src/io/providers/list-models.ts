import type { AttemptOutcome } from '#protocol/ai-call.ts';
import type { ProviderName } from '#protocol/provider.ts';
import { factsOf } from './attempt-facts.ts';
import { redactor } from './redact.ts';
import { createDispatcher, createTap } from './wire-tap.ts';

interface ModelsRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Endpoint {
  readonly provider: ProviderName;
  readonly baseUrl: string | null;
}

const withoutSlash = (url: string): string => url.replace(/\/{1,20}$/, '');

function requestOf({ provider, baseUrl }: Endpoint, secret: string): ModelsRequest {
  const at = (own: string): string => withoutSlash(baseUrl ?? own);
  switch (provider) {
    case 'anthropic':
      return {
        url: `${at('https://api.anthropic.com/v1')}/models?limit=1000`,
        headers: { 'x-api-key': secret, 'anthropic-version': '2023-06-01' },
      };
    case 'google':
      return {
        url: `${at('https://generativelanguage.googleapis.com/v1beta')}/models?pageSize=1000`,
        headers: { 'x-goog-api-key': secret },
      };
    case 'openai':
    case 'openai-compatible':
      return {
        url: `${at('https://api.openai.com/v1')}/models`,
        // The secret is empty if the server needs no key.
        headers: secret === '' ? {} : { authorization: `Bearer ${secret}` },
      };
  }
}

/** Returns the number of models in a response, or null if the response is not a list of models. */
function countIn(text: string): number | null {
  const value = JSON.parse(text) as unknown;
  if (typeof value !== 'object' || value === null) return null;
  const { data, models } = value as { readonly data?: unknown; readonly models?: unknown };
  const list = data ?? models;
  return Array.isArray(list) ? list.length : null;
}

/**
 * Checks a key by requesting the provider's list of models, which costs nothing. The text of the returned answer is the
 * number of models.
 */
export async function listModels(endpoint: Endpoint, secret: string, signal: AbortSignal): Promise<AttemptOutcome> {
  const dispatcher = createDispatcher(10_000, true);
  const tap = createTap(dispatcher, () => undefined);
  const began = performance.now();
  const times = () => ({ firstTokenMs: null, totalMs: Math.round(performance.now() - began) });
  try {
    const { url, headers } = requestOf(endpoint, secret);
    const response = await tap.fetch(url, { headers, signal });
    const text = await response.text();
    const count = response.ok ? countIn(text) : null;
    if (count === null) throw new Error('the response is not a list of models');
    return { ok: true, text: String(count), finish: 'stop', usage: null, times: times() };
  } catch (thrown) {
    const limit = signal.aborted ? 'total' : null;
    const facts = factsOf({ tap, thrown, limit, begun: false, redact: redactor(secret) });
    return { ok: false, facts, usage: null, times: times() };
  } finally {
    await dispatcher.destroy();
  }
}
