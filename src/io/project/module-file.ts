import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { importedFiles } from './imported-files.ts';

/** A module of the project as it was when it was looked at. */
export interface ModuleFile {
  /** Absolute. */
  readonly path: string;
  readonly href: string;
  /** The project, absolute. */
  readonly root: string;
  /** SHA-256 of its content, and of all files of the project that it reaches. */
  readonly fingerprint: string;
}

/** Null when there is no such file, or it can't be read. */
export async function findModule(path: string, root: string): Promise<ModuleFile | null> {
  try {
    if (!(await stat(path)).isFile()) return null;
    await access(path, constants.R_OK);
    const { hash } = await importedFiles(path, root);
    return { path, root, href: pathToFileURL(path).href, fingerprint: hash };
  } catch {
    return null;
  }
}
