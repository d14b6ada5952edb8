import { stat } from 'node:fs/promises';
import path from 'node:path';
import { RoboSmithError } from '#protocol/error.ts';
import { upwards } from '../files/upwards.ts';

export const isFile = (file: string): Promise<boolean> =>
  stat(file).then(
    (found) => found.isFile(),
    () => false,
  );

/** The paths at which a project may have its manifest. */
const MANIFESTS = ['.vision/workflows.json', '.vision/workflows.jsonc'] as const;

/**
 * Returns the path of a folder's manifest relative to the folder, or null if it has none. Throws `usage` if it has two,
 * since it is unclear which one to use.
 */
async function manifestIn(folder: string): Promise<string | null> {
  const found = await Promise.all(MANIFESTS.map((name) => isFile(path.join(folder, ...name.split('/')))));
  const [first = null, second] = MANIFESTS.filter((_, index) => found[index] === true);
  if (second !== undefined)
    throw new RoboSmithError(
      'usage',
      `This project has both ${MANIFESTS.join(' and ')}. Remove or rename one of them.`,
      {
        next: ['robosmith validate --manifest .vision/workflows.json'],
      },
    );
  return first;
}

/** Returns the path of a folder's manifest, or of the one that `robosmith init` would create. */
export const manifestPath = async (folder: string): Promise<string> => (await manifestIn(folder)) ?? MANIFESTS[0];

/** Returns the nearest manifest at or above a folder as an absolute path, or null. */
export async function findManifest(from: string): Promise<string | null> {
  for (const folder of upwards(from)) {
    const name = await manifestIn(folder);
    if (name !== null) return path.join(folder, ...name.split('/'));
  }
  return null;
}
