import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';

export type FoundProgram = { readonly file: string } | { readonly error: 'ENOENT' | 'EACCES' };

export interface SearchEnvironment {
  readonly platform: NodeJS.Platform;
  /** `PATH`. */
  readonly searched: string;
  /** `PATHEXT`, on Windows. */
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

/** Used without a `PATH`: never the worktree, whose programs nobody has vouched for. */
const SYSTEM_FOLDERS = ['/usr/local/bin', '/usr/bin', '/bin'] as const;

const WINDOWS_ENDINGS = '.COM;.EXE;.BAT;.CMD';

const rulesOf = (platform: NodeJS.Platform): path.PlatformPath => (platform === 'win32' ? path.win32 : path.posix);

/** The absolute folders of `PATH`: an empty or relative one would be another in each project. */
function foldersOf({ platform, searched }: SearchEnvironment): readonly string[] {
  const rules = rulesOf(platform);
  const all = searched.split(rules.delimiter).map((folder) => folder.replace(/^"(.*)"$/, '$1'));
  const folders = all.filter((folder) => rules.isAbsolute(folder));
  return folders.length > 0 || platform === 'win32' ? folders : SYSTEM_FOLDERS;
}

/**
 * Returns a value of `PATH` with its absolute folders alone: a relative one would let the current folder say which programs a child
 * starts.
 */
export function withoutRelative(searched: string, platform: NodeJS.Platform): string {
  const rules = rulesOf(platform);
  const folders = searched.split(rules.delimiter).filter((folder) => rules.isAbsolute(folder.replaceAll('"', '')));
  // An empty value means the current folder.
  return (folders.length > 0 || platform === 'win32' ? folders : SYSTEM_FOLDERS).join(rules.delimiter);
}

/** On Windows a name without one of the endings is never a program by itself. */
function namesOf(program: string, { platform, endings }: SearchEnvironment): readonly string[] {
  if (platform !== 'win32') return [program];
  const known = (endings ?? WINDOWS_ENDINGS).split(';').filter((ending) => ending.startsWith('.'));
  const hasEnding = known.some((ending) => program.toLowerCase().endsWith(ending.toLowerCase()));
  return hasEnding ? [program] : known.map((ending) => program + ending);
}

const isPath = (program: string, platform: NodeJS.Platform): boolean =>
  platform === 'win32' ? /[/\\:]/.test(program) : program.includes('/');

/**
 * Finds a program by its path, or by its name in the folders of `PATH`; a name is never looked for in the current folder, unlike
 * Windows does. The result is absolute.
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

/** The variables that say where programs are; Windows compares their names without regard to case. */
export function searchEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): SearchEnvironment {
  const valueOf = (name: string): string | undefined =>
    platform === 'win32' ? Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1] : env[name];
  return { platform, searched: valueOf('PATH') ?? '', endings: valueOf('PATHEXT') };
}

/** Keeps Windows from looking for programs in the current folder, for whatever a child starts by name. */
export const noCurrentFolder = (platform: NodeJS.Platform): Readonly<Record<string, string>> =>
  platform === 'win32' ? { NoDefaultCurrentDirectoryInExePath: '1' } : {};
