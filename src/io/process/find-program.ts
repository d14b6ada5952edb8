import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';

export type FoundProgram = { readonly file: string } | { readonly error: 'ENOENT' | 'EACCES' };

async function check(file: string): Promise<FoundProgram> {
  const found = await stat(file).catch(() => null);
  if (found === null) return { error: 'ENOENT' };
  if (!found.isFile()) return { error: 'EACCES' };
  return access(file, constants.X_OK).then(
    () => ({ file }),
    (): FoundProgram => ({ error: 'EACCES' }),
  );
}

/** Without a `PATH`: never the worktree, whose programs nobody has vouched for. */
const SYSTEM_FOLDERS = ['/usr/local/bin', '/usr/bin', '/bin'] as const;

function foldersOf(searched: string): readonly string[] {
  const folders = searched.split(path.delimiter).filter((folder) => folder !== '');
  return folders.length > 0 ? folders : SYSTEM_FOLDERS;
}

/** Where a program is: by its path, else in the folders of `PATH`; an empty one in it is no folder, unlike for `execvp`. Absolute. POSIX only. */
export async function findProgram(program: string, cwd: string, searched: string): Promise<FoundProgram> {
  if (program.includes('/')) return check(path.resolve(cwd, program));
  let denied: FoundProgram = { error: 'ENOENT' };
  for (const folder of foldersOf(searched)) {
    const found = await check(path.resolve(cwd, folder, program));
    if ('file' in found) return found;
    if (found.error === 'EACCES') denied = found;
  }
  return denied;
}
