import { stat } from 'node:fs/promises';
import path from 'node:path';
import { upwards } from '../files/upwards.ts';

const isFile = (file: string): Promise<boolean> =>
  stat(file).then(
    (found) => found.isFile(),
    () => false,
  );

/** Returns the nearest `.vision/workflows.json` at or above a folder, or null. */
export async function findManifest(from: string): Promise<string | null> {
  for (const folder of upwards(from)) {
    const file = path.join(folder, '.vision', 'workflows.json');
    if (await isFile(file)) return file;
  }
  return null;
}
