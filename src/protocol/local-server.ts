import type { ProviderName } from './ai-call.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Returns whether a model server runs on this machine, so that it may work without a key. */
export function isLocalServer(provider: ProviderName, baseUrl: string | null): boolean {
  if (provider !== 'openai-compatible' || baseUrl === null || !URL.canParse(baseUrl)) return false;
  return LOOPBACK.test(new URL(baseUrl).hostname);
}
