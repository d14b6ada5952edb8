type Environment = Readonly<Record<string, string | undefined>>;

const NAMES = {
  httpProxy: ['http_proxy', 'HTTP_PROXY'],
  httpsProxy: ['https_proxy', 'HTTPS_PROXY'],
} as const;

/** Often written without `http://`, which is what is meant. */
const withScheme = (value: string): string => (value.includes('://') ? value : `http://${value}`);

const isProxy = (address: string): boolean =>
  URL.canParse(address) && ['http:', 'https:'].includes(new URL(address).protocol);

/** Name and address of the variable that holds; empty: none does. */
function settingOf(environment: Environment, names: readonly string[]): readonly [name: string, address: string] {
  for (const name of names) {
    const value = environment[name]?.trim() ?? '';
    if (value !== '') return [name, withScheme(value)];
  }
  return ['', ''];
}

/** The proxies of the environment, and for which hosts there is none. A variable that is empty hides no other. */
export const proxySettings = (
  environment: Environment = process.env,
): { readonly httpProxy: string; readonly httpsProxy: string; readonly noProxy: string } => ({
  httpProxy: settingOf(environment, NAMES.httpProxy)[1],
  httpsProxy: settingOf(environment, NAMES.httpsProxy)[1],
  noProxy: (environment['no_proxy']?.trim() ?? '') || (environment['NO_PROXY']?.trim() ?? ''),
});

/** What is wrong with them; null: nothing. An address may hold a password: it is not repeated. */
export function proxyProblem(environment: Environment = process.env): string | null {
  for (const names of Object.values(NAMES)) {
    const [name, address] = settingOf(environment, names);
    if (address !== '' && !isProxy(address))
      return `${name} is no address of a proxy: write it as http://host:port, or unset it`;
  }
  return null;
}
