import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { isInside } from '../files/safe-path.ts';
import { findManifest } from './project.ts';
import { findRoot } from './find-root.ts';

async function projectAt(folder: string): Promise<string> {
  const found = await findRoot(folder);
  if ('root' in found) return found.root;
  const manifest = await findManifest(folder);
  return manifest === null ? folder : path.dirname(path.dirname(manifest));
}

/**
 * Returns whether a path inside the project of `folder` is a symbolic link to a place outside of that project. Both
 * paths must be absolute.
 */
export async function leadsOutOfProject(folder: string, file: string): Promise<boolean> {
  const project = await realpath(await projectAt(folder)).catch(() => null);
  const place = await realpath(path.dirname(file)).catch(() => null);
  const real = await realpath(file).catch(() => null);
  if (project === null || place === null || real === null) return false;
  const isNamedInside = isInside(project, path.resolve(file)) || isInside(project, place);
  return isNamedInside && !isInside(project, real);
}
