import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

const KEY = /^[0-9a-f]{64}$/;

/** The shared folder of git never travels: no clone has it from another one. */
const fileIn = (common: string): string => path.join(common, 'robosmith', 'clone-key');

const readKey = async (file: string): Promise<string | null> => {
  const text = (await readFile(file, 'utf8').catch(() => '')).trim();
  return KEY.test(text) ? text : null;
};

/** The secret of this clone, in hexadecimal; it is made when it is first needed. `common`: the shared folder of git, absolute. */
export async function cloneKey(common: string, newId: (bytes: number) => string): Promise<string> {
  const file = fileIn(common);
  const known = await readKey(file);
  if (known !== null) return known;
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const made = newId(32);
  // Another process may have made one in between: that one counts then.
  await writeFile(file, `${made}\n`, { mode: 0o600, flag: 'wx' }).catch(() => undefined);
  return (await readKey(file)) ?? made;
}
