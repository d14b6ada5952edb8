import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

/** A module of the project as it was when it was looked at. */
export interface ModuleFile {
  /** Absolute. */
  readonly path: string;
  readonly href: string;
  /** SHA-256 of its content. */
  readonly fingerprint: string;
}

/** Null when there is no such file, or it can't be read. */
export async function findModule(path: string): Promise<ModuleFile | null> {
  try {
    if (!(await stat(path)).isFile()) return null;
    const fingerprint = createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
    return { path, href: pathToFileURL(path).href, fingerprint };
  } catch {
    return null;
  }
}
