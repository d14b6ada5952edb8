const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Returns whether a host name, in the notation of `URL.hostname`, always refers to this computer. */
export const isThisComputer = (hostname: string): boolean => LOOPBACK.test(hostname);

/** Returns whether an http or https address leads to a server on this computer. Such a server needs no key. */
export function isOnThisComputer(address: string | null): boolean {
  const url = address === null ? null : URL.parse(address);
  return url !== null && /^https?:$/.test(url.protocol) && isThisComputer(url.hostname);
}
