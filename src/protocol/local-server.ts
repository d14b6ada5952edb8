import type { ProviderName } from './provider.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Returns whether a host name, in the notation of `URL.hostname`, always refers to this computer. */
export const isThisComputer = (hostname: string): boolean => LOOPBACK.test(hostname);

/** Returns whether an http or https address leads to a server on this computer. Such a server needs no key. */
export function isOnThisComputer(address: string | null): boolean {
  const url = address === null ? null : URL.parse(address);
  return url !== null && /^https?:$/.test(url.protocol) && isThisComputer(url.hostname);
}

/** Returns whether a model server runs on this machine, so that it may work without a key. */
export function isLocalServer(provider: ProviderName, baseUrl: string | null): boolean {
  if (provider !== 'openai-compatible' || baseUrl === null || !URL.canParse(baseUrl)) return false;
  const { hostname, username, password } = new URL(baseUrl);
  return isThisComputer(hostname) && username === '' && password === '';
}

/**
 * The prefix of the placeholder alias for a server that needs no key. Users can't give a key an alias with this prefix.
 */
const NO_KEY = 'no-key@';

export function keylessAlias(baseUrl: string): string {
  const { host, pathname } = new URL(baseUrl);
  return `${NO_KEY}${host}${pathname}`;
}

/** Returns host and path of the server that a keyless alias stands for. */
export const serverOfKeyless = (alias: string): string => alias.slice(NO_KEY.length);

export const isKeylessAlias = (alias: string): boolean => alias.startsWith(NO_KEY);
