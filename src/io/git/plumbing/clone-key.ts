import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

const KEY = /^[0-9a-f]{64}$/;

/** The file of the key. Git never copies the shared git folder to a clone, so each clone has its own key. */
const fileIn = (common: string): string => path.join(common, 'robosmith', 'clone-key');

const readKey = async (file: string): Promise<string | null> => {
  const text = (await readFile(file, 'utf8').catch(() => '')).trim();
  return KEY.test(text) ? text : null;
};

/**
 * Returns the secret of this clone in hexadecimal, creating it on first use. `common` is the absolute path of the
 * shared git folder.
 */
export async function cloneKey(common: string, newId: (bytes: number) => string): Promise<string> {
  const file = fileIn(common);
  const known = await readKey(file);
  if (known !== null) return known;
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const made = newId(32);
  // If another process created a key in the meantime, that key is used.
  await writeFile(file, `${made}\n`, { mode: 0o600, flag: 'wx' }).catch(() => undefined);
  return (await readKey(file)) ?? made;
}
