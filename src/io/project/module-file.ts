import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { type HashedFile, isUnchanged } from './file-hash.ts';
import { importedFiles } from './imported-files.ts';

/** A module of the project, as found on disk. */
export interface ModuleFile {
  readonly path: string;
  readonly href: string;
  /** The real path of the project. */
  readonly root: string;
  /** The module and all files that it may load, by their real paths. */
  readonly files: ReadonlyMap<string, HashedFile>;
  /** The names of the packages among them, sorted. */
  readonly packages: readonly string[];
  /** SHA-256 over the names and contents of `files`, and over what decides how Node finds and reads them. */
  readonly fingerprint: string;
}

/**
 * Finds a module; returns null if it doesn't exist or can't be read. `more`: globs of further files that the project's
 * modules may load.
 */
export async function findModule(path: string, root: string, more: readonly string[] = []): Promise<ModuleFile | null> {
  try {
    if (!(await stat(path)).isFile()) return null;
    await access(path, constants.R_OK);
    const { hash, ...found } = await importedFiles(path, root, more);
    return { ...found, path, href: pathToFileURL(path).href, fingerprint: hash };
  } catch {
    return null;
  }
}

/** Returns whether a file of the module has changed, or was removed, since the module was found. */
export const hasChanged = ({ files }: ModuleFile): boolean => [...files].some(([file, was]) => !isUnchanged(file, was));
