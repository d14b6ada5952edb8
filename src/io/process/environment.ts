import { withoutRelative } from './find-program.ts';

/** Variables that most programs need and that hold no secrets: a name, or a prefix with `*`. */
const ALLOWED: readonly string[] = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_*', 'TZ', 'TERM', 'TMPDIR', 'TMP', 'TEMP'],
  ...['CI', 'NO_COLOR', 'FORCE_COLOR', 'XDG_*'],
  // Behind a proxy, or with a company's own certificates, programs can't reach the network without these.
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'no_proxy', 'all_proxy'],
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'],
];

const ALLOWED_ON_WINDOWS: readonly string[] = [
  ...['SystemRoot', 'SystemDrive', 'ComSpec', 'PATHEXT', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'ProgramFiles*'],
  ...['PROGRAMDATA', 'WINDIR', 'NUMBER_OF_PROCESSORS'],
];

/**
 * Variables that are never passed on. Git sets them in hooks, and they would make git use another repository than that
 * of the worktree (`git rev-parse --local-env-vars` lists them).
 */
const NEVER: ReadonlySet<string> = new Set([
  ...['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_COMMON_DIR', 'GIT_PREFIX', 'GIT_NAMESPACE'],
  ...['GIT_OBJECT_DIRECTORY', 'GIT_ALTERNATE_OBJECT_DIRECTORIES', 'GIT_IMPLICIT_WORK_TREE', 'GIT_GRAFT_FILE'],
  ...['GIT_NO_REPLACE_OBJECTS', 'GIT_REPLACE_REF_BASE', 'GIT_SHALLOW_FILE', 'GIT_INTERNAL_SUPER_PREFIX'],
  ...['GIT_CONFIG', 'GIT_CONFIG_PARAMETERS', 'GIT_CONFIG_COUNT'],
]);

type Environment = Readonly<Record<string, string>>;

/**
 * Returns the part of an environment that a program of the project may see: the allow-list, and the
 * variables that the manifest names.
 */
export function allowedEnvironment(
  parent: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
  platform: NodeJS.Platform,
): Environment {
  const windows = platform === 'win32';
  // The names of variables are case-insensitive on Windows.
  const fold = (name: string): string => (windows ? name.toUpperCase() : name);
  const patterns = [...ALLOWED, ...(windows ? ALLOWED_ON_WINDOWS : [])].map(fold);
  const exact = new Set([...patterns, ...names.map(fold)]);
  const beginnings = patterns.filter((one) => one.endsWith('*')).map((one) => one.slice(0, -1));
  const isAllowed = (name: string): boolean =>
    !NEVER.has(fold(name)) && (exact.has(fold(name)) || beginnings.some((start) => fold(name).startsWith(start)));
  const seen = Object.entries(parent).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(
    seen
      .filter(([name]) => isAllowed(name))
      .map(([name, value]) => [name, fold(name) === 'PATH' ? withoutRelative(value, platform) : value]),
  );
}

/**
 * Adds the defaults of variables that are missing. If a variable has the same name in another case, such as
 * `HTTPS_PROXY` for `https_proxy`, the default is its value.
 */
export function withDefaults(given: Environment, defaults: Environment): Environment {
  const inUpperCase = new Map(Object.entries(given).map(([name, value]) => [name.toUpperCase(), value]));
  const added = Object.entries(defaults).map(
    ([name, value]) => [name, inUpperCase.get(name.toUpperCase()) ?? value] as const,
  );
  return { ...Object.fromEntries(added), ...given };
}
