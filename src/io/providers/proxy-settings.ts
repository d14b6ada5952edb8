type Environment = Readonly<Record<string, string | undefined>>;

const NAMES = {
  httpProxy: ['http_proxy', 'HTTP_PROXY'],
  httpsProxy: ['https_proxy', 'HTTPS_PROXY'],
} as const;

/** Adds `http://` to a proxy address that has no scheme, as people often write it. */
const withScheme = (value: string): string => (value.includes('://') ? value : `http://${value}`);

const isProxy = (address: string): boolean =>
  URL.canParse(address) && ['http:', 'https:'].includes(new URL(address).protocol);

/** Returns the name and value of the first variable that is set, or two empty texts. */
function settingOf(environment: Environment, names: readonly string[]): readonly [name: string, address: string] {
  for (const name of names) {
    const value = environment[name]?.trim() ?? '';
    if (value !== '') return [name, withScheme(value)];
  }
  return ['', ''];
}

/** Reads the proxies of the environment, and the hosts that need none. An empty variable counts as not set. */
export const proxySettings = (
  environment: Environment = process.env,
): { readonly httpProxy: string; readonly httpsProxy: string; readonly noProxy: string } => ({
  httpProxy: settingOf(environment, NAMES.httpProxy)[1],
  httpsProxy: settingOf(environment, NAMES.httpsProxy)[1],
  noProxy: (environment['no_proxy']?.trim() ?? '') || (environment['NO_PROXY']?.trim() ?? ''),
});

/** Returns whether `no_proxy` excepts a host: `*`, or the host or a domain that it ends with. */
function isExcepted(host: string, noProxy: string): boolean {
  const rules = noProxy.split(/[\s,]+/).map((rule) =>
    rule
      .replace(/^\*?\./, '')
      .replace(/:\d+$/, '')
      .toLowerCase(),
  );
  return rules.some((rule) => rule === '*' || (rule !== '' && (host === rule || host.endsWith(`.${rule}`))));
}

/**
 * Returns the proxy for a URL as a person knows it: its variable, and its address without credentials. Null if there is
 * none.
 */
export function proxyFor(url: string, environment: Environment = process.env): string | null {
  const { protocol, hostname } = new URL(url);
  const [name, address] = settingOf(environment, protocol === 'https:' ? NAMES.httpsProxy : NAMES.httpProxy);
  if (address === '' || !isProxy(address) || isExcepted(hostname, proxySettings(environment).noProxy)) return null;
  const { protocol: scheme, host } = new URL(address);
  return `${name} (${scheme}//${host})`;
}

/**
 * Returns a message about an invalid proxy variable, or null. The address is left out, because it may hold a password.
 */
export function proxyProblem(environment: Environment = process.env): string | null {
  for (const names of Object.values(NAMES)) {
    const [name, address] = settingOf(environment, names);
    if (address !== '' && !isProxy(address))
      return `${name} is not the URL of a proxy. Set it to http://host:port, or unset it`;
  }
  return null;
}
