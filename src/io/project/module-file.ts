import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { importedFiles } from './imported-files.ts';

/** A module of the project, as found on disk. */
export interface ModuleFile {
  readonly path: string;
  readonly href: string;
  /** The absolute path of the project. */
  readonly root: string;
  /** SHA-256 over the module and all files of the project that it may load. */
  readonly fingerprint: string;
}

/** Finds a module; returns null if it doesn't exist or can't be read. */
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
