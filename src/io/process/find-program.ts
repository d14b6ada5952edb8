import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';

type FoundProgram = { readonly file: string } | { readonly error: 'ENOENT' | 'EACCES' };

export interface SearchEnvironment {
  readonly platform: NodeJS.Platform;
  /** The value of `PATH`. */
  readonly searched: string;
  /** The value of `PATHEXT`; Windows only. */
  readonly endings?: string | undefined;
}

async function check(file: string): Promise<FoundProgram> {
  const found = await stat(file).catch(() => null);
  if (found === null) return { error: 'ENOENT' };
  if (!found.isFile()) return { error: 'EACCES' };
  return access(file, constants.X_OK).then(
    () => ({ file }),
    (): FoundProgram => ({ error: 'EACCES' }),
  );
}

/**
 * The folders searched when there is no usable `PATH`. The worktree is never searched: its programs are not trusted.
 */
const SYSTEM_FOLDERS = ['/usr/local/bin', '/usr/bin', '/bin'] as const;

const WINDOWS_ENDINGS = '.COM;.EXE;.BAT;.CMD';

const rulesOf = (platform: NodeJS.Platform): path.PlatformPath => (platform === 'win32' ? path.win32 : path.posix);

/**
 * Returns the absolute folders of `PATH`. Empty and relative entries are left out, since they would mean a different
 * folder in each project.
 */
function foldersOf({ platform, searched }: SearchEnvironment): readonly string[] {
  const rules = rulesOf(platform);
  const all = searched.split(rules.delimiter).map((folder) => folder.replace(/^"(.*)"$/, '$1'));
  const folders = all.filter((folder) => rules.isAbsolute(folder));
  return folders.length > 0 || platform === 'win32' ? folders : SYSTEM_FOLDERS;
}

/**
 * Removes the relative folders from a value of `PATH`, so that the current folder does not decide which programs a
 * child process starts.
 */
export function withoutRelative(searched: string, platform: NodeJS.Platform): string {
  const rules = rulesOf(platform);
  const folders = searched.split(rules.delimiter).filter((folder) => rules.isAbsolute(folder.replaceAll('"', '')));
  // An empty PATH would make systems other than Windows search the current folder.
  return (folders.length > 0 || platform === 'win32' ? folders : SYSTEM_FOLDERS).join(rules.delimiter);
}

/**
 * Returns the file names to try for a program. On Windows a name without an extension of `PATHEXT` is not executable.
 */
function namesOf(program: string, { platform, endings }: SearchEnvironment): readonly string[] {
  if (platform !== 'win32') return [program];
  const known = (endings ?? WINDOWS_ENDINGS).split(';').filter((ending) => ending.startsWith('.'));
  const hasEnding = known.some((ending) => program.toLowerCase().endsWith(ending.toLowerCase()));
  return hasEnding ? [program] : known.map((ending) => program + ending);
}

const isPath = (program: string, platform: NodeJS.Platform): boolean =>
  platform === 'win32' ? /[/\\:]/.test(program) : program.includes('/');

/**
 * Finds a program by its path, or by its name in the folders of `PATH`, and returns its absolute path. Unlike Windows
 * itself, it never searches the current folder.
 */
export async function findProgram(program: string, cwd: string, environment: SearchEnvironment): Promise<FoundProgram> {
  const rules = rulesOf(environment.platform);
  const folders = isPath(program, environment.platform) ? [cwd] : foldersOf(environment);
  let denied: FoundProgram = { error: 'ENOENT' };
  for (const folder of folders)
    for (const name of namesOf(program, environment)) {
      const found = await check(rules.resolve(cwd, folder, name));
      if ('file' in found) return found;
      if (found.error === 'EACCES') denied = found;
    }
  return denied;
}

/** Returns the variables that determine where programs are searched. Their names are case-insensitive on Windows. */
export function searchEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): SearchEnvironment {
  const valueOf = (name: string): string | undefined =>
    platform === 'win32' ? Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1] : env[name];
  return { platform, searched: valueOf('PATH') ?? '', endings: valueOf('PATHEXT') };
}

/**
 * Returns the variable that keeps Windows from searching the current folder for programs that a child process starts by
 * name.
 */
export const noCurrentFolder = (platform: NodeJS.Platform): Readonly<Record<string, string>> =>
  platform === 'win32' ? { NoDefaultCurrentDirectoryInExePath: '1' } : {};
