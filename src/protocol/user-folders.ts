/** The user's own folders for RoboSmith, outside of every project. */
interface UserFolders {
  readonly config: string;
  readonly cache: string;
}

/** Debian's home folder for users without one. It does not exist, so reads find nothing and writes fail. */
const NO_HOME = '/nonexistent';

const NAME = 'robo-smith';

/** Returns the home folder, or `NO_HOME` if there is none, as in a container whose user is unknown to the system. */
export function homeOf(homedir: () => string): string {
  try {
    return homedir();
  } catch {
    return NO_HOME;
  }
}

/**
 * Returns the conventional folders of each system. They are the same as those of the package env-paths, which can't be
 * used because it throws on load if there is no home folder.
 */
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
    // A relative folder is ignored, because it would resolve differently in each project (XDG Base Directory
    // Specification).
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
