/** The user's own folders for RoboSmith, outside of every project. */
export interface UserFolders {
  readonly config: string;
  readonly cache: string;
}

/** Nobody makes this one (Debian's home for who has none): nothing is found there, and to write there is refused. */
const NO_HOME = '/nonexistent';

const NAME = 'robo-smith';

/** It throws where there is none, as in a container that runs as a user whom its system does not know. */
function homeOf(homedir: () => string): string {
  try {
    return homedir();
  } catch {
    return NO_HOME;
  }
}

/** The ways of each system; as the package env-paths has them, which throws when it is loaded where there is no home. */
export function userFolders(
  platform: string,
  homedir: () => string,
  environment: Readonly<Record<string, string | undefined>>,
): UserFolders {
  const join = (folder: string, ...names: readonly string[]): string =>
    [folder.replace(/[\\/]+$/, ''), ...names].join(platform === 'win32' ? '\\' : '/');
  const home = homeOf(homedir);
  const named = (name: string, ...otherwise: readonly string[]): string => {
    const folder = environment[name] ?? '';
    // A relative one would be another in each project (XDG Base Directory Specification).
    const isPlace = platform === 'win32' ? folder !== '' : folder.startsWith('/');
    return isPlace ? folder : join(home, ...otherwise);
  };
  if (platform === 'darwin')
    return { config: join(home, 'Library', 'Preferences', NAME), cache: join(home, 'Library', 'Caches', NAME) };
  if (platform === 'win32')
    return {
      config: join(named('APPDATA', 'AppData', 'Roaming'), NAME, 'Config'),
      cache: join(named('LOCALAPPDATA', 'AppData', 'Local'), NAME, 'Cache'),
    };
  return {
    config: join(named('XDG_CONFIG_HOME', '.config'), NAME),
    cache: join(named('XDG_CACHE_HOME', '.cache'), NAME),
  };
}
